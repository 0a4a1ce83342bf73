import { createHash } from 'node:crypto';
import type { BodyOf } from '../../../contract/operation.ts';
import type { createSale } from '../../../contract/sales.ts';
import type { ImportRow } from '../import-row.ts';

/** The fields of a sale in a file: amounts in the program's currency, times as instants. */
export type SaleBody = Omit<BodyOf<typeof createSale>, 'clickId' | 'firstOrder'> & {
  affiliateId?: string | null | undefined;
  affiliateEmail?: string | null | undefined;
  commissionAmount?: number | null | undefined;
  refundedAmount?: number | null | undefined;
  refundedAt?: string | null | undefined;
  paidAt?: string | null | undefined;
};

export type SaleRow = ImportRow<SaleBody>;

/** A row with what tells its sale from others: its external id, or a key of what it says and how often it said so before. */
export interface IdentifiedRow extends SaleRow {
  importKey: string | null;
}

/** What a later export of the same sales may say otherwise is no part of it: names, refunds and payouts. */
const contentOf = ({ body, createdAt }: SaleRow): string =>
  JSON.stringify([
    createdAt.toISOString(),
    body.totalEarned,
    body.email ?? null,
    body.customerId ?? null,
    body.affiliateId ?? body.affiliateEmail ?? body.referralId ?? body.promoCode ?? null,
    body.product?.productId ?? null,
    body.externalInvoiceId ?? null,
  ]);

const keyOf = (content: string): string => createHash('sha256').update(content).digest('base64url').slice(0, 22);

/** Rows must come in the order of the file, from its first row on: equal rows without external id are counted. */
export const rowIdentifier = (): ((row: SaleRow) => IdentifiedRow) => {
  const seen = new Map<string, number>();
  return (row) => {
    if (row.body.externalId) return { ...row, importKey: null };
    const key = keyOf(contentOf(row));
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    return { ...row, importKey: before === 0 ? key : `${key}#${before}` };
  };
};

export const identityOf = ({ body, importKey }: IdentifiedRow): string =>
  body.externalId ? `ID ${body.externalId}` : `KEY ${importKey}`;
