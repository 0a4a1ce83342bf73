import { decimalText } from '../../platform/money/money.ts';
import { maxPageBytes } from '../../platform/table/page.ts';
import { CsvPage } from '../../platform/table/paged-responses.ts';
import { csvLines } from '../../platform/text/csv.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import type { StoredPayout } from './payouts.ts';
import { payoutIdOf, payoutStatusOf, payoutsWithAffiliates } from './responses.ts';
import type { StoredPayoutBatch } from './rules.ts';

const columns = [
  'payoutId',
  'affiliateId',
  'firstName',
  'lastName',
  'email',
  'payoutEmail',
  'paymentMethod',
  'amount',
  'currency',
  'saleCount',
  'status',
  'promotionalCode',
] as const;

const payoutsInOneRead = 1000;
/** A few seconds of one function, as the parts of a download are. */
const maxRows = 5000;

const rowOf = (
  batch: StoredPayoutBatch,
  { affiliateId, amountMinor, saleCount, promotionalCode }: StoredPayout,
  affiliate: StoredAffiliate | undefined,
): string[] => {
  const row: Record<(typeof columns)[number], string> = {
    payoutId: payoutIdOf(batch, affiliateId),
    affiliateId,
    firstName: affiliate?.firstName ?? '',
    lastName: affiliate?.lastName ?? '',
    email: affiliate?.email ?? '',
    payoutEmail: affiliate?.payoutEmail ?? affiliate?.email ?? '',
    paymentMethod: affiliate?.paymentMethod ?? '',
    amount: decimalText(String(amountMinor), batch.currency),
    currency: batch.currency,
    saleCount: String(saleCount),
    status: payoutStatusOf(batch),
    promotionalCode: promotionalCode?.code ?? '',
  };
  return columns.map((column) => row[column]);
};

export const payoutsCsv = async (
  programId: string,
  batch: StoredPayoutBatch,
  start: string | undefined,
): Promise<CsvPage> => {
  const lines = [csvLines([columns])];
  let bytes = 0;
  let after = start;
  do {
    const { entries, next } = await payoutsWithAffiliates(programId, batch, { limit: payoutsInOneRead, after });
    for (const { payout, affiliate } of entries) {
      const line = csvLines([rowOf(batch, payout, affiliate)]);
      bytes += Buffer.byteLength(line);
      if (bytes > maxPageBytes || lines.length > maxRows) return pageOf(batch, lines, after);
      lines.push(line);
      after = payout.affiliateId;
    }
    if (next === undefined) return pageOf(batch, lines, undefined);
  } while (after);
  return pageOf(batch, lines, undefined);
};

const pageOf = ({ id }: StoredPayoutBatch, lines: readonly string[], next: string | undefined): CsvPage =>
  new CsvPage(lines.join(''), `payouts-${id}.csv`, next);
