import { type MailData, type MailKind, mailKinds, mails } from '../../shared/contract/mails.ts';
import { renderMail } from '../../shared/mails/render.ts';

/** What a mail of each kind says. A new kind does not compile until it is here. */
const data: { readonly [Kind in MailKind]: MailData<Kind> } = {
  MEMBER_INVITATION: {
    invitedBy: 'owner@tulips.example',
    role: 'MANAGER',
    url: 'https://app.example.com/programs',
  },
  PORTAL_SIGN_IN: { url: `https://app.example.com/portal/tulips/sign-in/${'x'.repeat(90)}` },
  PAYOUT_DETAILS_CONFIRM: {
    paymentMethod: 'PAYPAL',
    payoutEmail: 'noor.payouts@example.com',
    url: `https://app.example.com/portal/tulips/payout-details/confirm?token=${'x'.repeat(400)}`,
  },
  APPLICATION_RECEIVED: {},
  APPLICATION_APPROVED: { url: 'https://app.example.com/portal/tulips' },
  APPLICATION_DECLINED: {
    message: 'We look for affiliates with an audience of gardeners. Write to us again in spring.',
  },
  FIRST_SALE: { commissionMinor: 123_456, currency: 'EUR' },
};

interface Sample {
  readonly programName?: string;
  readonly accentColor?: string | null;
  readonly to?: string;
}

export const sampleData = (kind: MailKind): Record<string, unknown> => data[kind];

/** A mail of a kind, as a program sends it. */
export const sampleMail = (kind: MailKind, { programName = 'Tulip Shop', accentColor, to }: Sample = {}) =>
  renderMail({
    kind,
    data: data[kind],
    to: to ?? 'noor@example.com',
    brand: { name: programName, accentColor },
    unsubscribeUrl: mails[kind].isTransactional ? undefined : 'https://app.example.com/mails/unsubscribe/token',
  });

export const allKinds = mailKinds.map((kind) => ({ kind }));
