/** Letters and digits alone: `Signed up at`, `signed_up_at` and `signedUpAt` are the same word. */
export const wordOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');

const affiliateStatus = {
  active: ['active', 'approved', 'accepted', 'enabled', 'confirmed', 'notset'],
  inactive: [
    'inactive',
    'pending',
    'invited',
    'unconfirmed',
    'suspicious',
    'disabled',
    'archived',
    'deactivated',
    'suspended',
    'declined',
    'rejected',
    'denied',
    'blocked',
    'banned',
  ],
};

/** What products call the values of a column. What was refused or taken back is worth as much as a refund of all. */
const wordsOf: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  status: affiliateStatus,
  affiliateStatus,
  state: {
    unpaid: ['unpaid', 'pending', 'due', 'processed', 'processing', 'hold', 'onhold', 'open'],
    approved: ['approved'],
    paid: ['paid', 'completed'],
    refunded: [
      'refunded',
      'refund',
      'voided',
      'void',
      'denied',
      'rejected',
      'declined',
      'canceled',
      'cancelled',
      'fraud',
      'duplicate',
    ],
  },
  paymentMethod: { BANK: ['banktransfer', 'wire', 'ach', 'sepa', 'iban'], WISE: ['transferwise'] },
};

const valuesByWord = new Map(
  Object.entries(wordsOf).map(([column, values]) => [
    column,
    new Map(Object.entries(values).flatMap(([value, words]) => words.map((word) => [word, value] as const))),
  ]),
);

/** The value of a column that a product writes in another word; undefined for a word that is not known. */
export const valueOfWord = (column: string, cell: string): string | undefined =>
  valuesByWord.get(column)?.get(wordOf(cell));
