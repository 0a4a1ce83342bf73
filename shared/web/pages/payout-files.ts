import type { payoutFileFormats } from '../../contract/pages/payout-batches.ts';
import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { PaymentMethods } from '../../domain/payouts/payment-methods.ts';
import type { StoredPayout } from '../../domain/payouts/payouts.ts';
import { payoutIdOf } from '../../domain/payouts/responses.ts';
import type { StoredPayoutBatch } from '../../domain/payouts/rules.ts';
import { decimalText } from '../../platform/money/money.ts';
import type { CsvColumn } from '../lists/csv-download.ts';

export interface Payee {
  payout: StoredPayout;
  affiliate: StoredAffiliate | undefined;
}

type Format = (typeof payoutFileFormats)[number];

const methodOf = { all: undefined, paypal: 'PAYPAL', wise: 'WISE' } as const;

const methodsInFiles: ReadonlySet<unknown> = new Set(Object.values(methodOf).filter(Boolean));

export const rowsOf = (format: Exclude<Format, 'all'>, { shares }: PaymentMethods): number =>
  shares.find(({ method }) => method === methodOf[format])?.count ?? 0;

/** The payouts that are in no file for a payment provider. */
export const leftOutOfFiles = ({ shares }: PaymentMethods): { count: number; amountMinor: bigint } =>
  shares
    .filter(({ method }) => !methodsInFiles.has(method))
    .reduce(
      (sum, { count, amountMinor }) => ({ count: sum.count + count, amountMinor: sum.amountMinor + amountMinor }),
      { count: 0, amountMinor: 0n },
    );

/** Those whom a file of that format can pay. */
export async function* isPaidBy(format: Format, pages: AsyncIterable<readonly Payee[]>) {
  const method = methodOf[format];
  for await (const page of pages)
    yield method ? page.filter(({ affiliate }) => affiliate?.paymentMethod === method) : page;
}

const payTo = ({ affiliate }: Payee): string => affiliate?.payoutEmail ?? affiliate?.email ?? '';

/** The columns of the upload files of PayPal and Wise, or of a file with all that is known. */
export const payoutFileColumns = (batch: StoredPayoutBatch, format: Format): CsvColumn<Payee>[] => {
  const { currency } = batch;
  const amount = ({ payout }: Payee) => decimalText(String(payout.amountMinor), currency);
  const reference = batch.name ?? 'Commission';
  if (format === 'paypal')
    return [
      { heading: 'Email', value: payTo },
      { heading: 'Amount', value: amount },
      { heading: 'Currency', value: () => currency },
      { heading: 'Reference', value: ({ payout }) => payout.affiliateId.slice(-12) },
      { heading: 'Note', value: () => reference },
    ];
  if (format === 'wise')
    return [
      { heading: 'name', value: ({ affiliate }) => (affiliate ? fullName(affiliate) : null) },
      { heading: 'recipientEmail', value: payTo },
      { heading: 'paymentReference', value: () => reference },
      { heading: 'receiverType', value: () => 'PERSON' },
      { heading: 'amountCurrency', value: () => 'target' },
      { heading: 'amount', value: amount },
      { heading: 'sourceCurrency', value: () => currency },
      { heading: 'targetCurrency', value: () => currency },
      { heading: 'type', value: () => 'EMAIL' },
    ];
  return [
    { heading: 'payoutId', value: ({ payout }) => payoutIdOf(batch, payout.affiliateId) },
    { heading: 'affiliateId', value: ({ payout }) => payout.affiliateId },
    { heading: 'name', value: ({ affiliate }) => (affiliate ? fullName(affiliate) : null) },
    { heading: 'email', value: ({ affiliate }) => affiliate?.email ?? null },
    { heading: 'payoutEmail', value: payTo },
    { heading: 'paymentMethod', value: ({ affiliate }) => affiliate?.paymentMethod ?? null },
    { heading: 'amount', value: amount },
    { heading: 'currency', value: () => currency },
    { heading: 'saleCount', value: ({ payout }) => payout.saleCount },
    { heading: 'promotionalCode', value: ({ payout }) => payout.promotionalCode?.code ?? null },
  ];
};
