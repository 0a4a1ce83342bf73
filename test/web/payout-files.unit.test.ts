import { expect, it } from 'vitest';
import { payoutFileFormats } from '../../shared/contract/pages/payout-batches.ts';
import { StoredPayout } from '../../shared/domain/payouts/payouts.ts';
import type { StoredPayoutBatch } from '../../shared/domain/payouts/rules.ts';
import { csvLines } from '../../shared/platform/text/csv.ts';
import { payoutFileColumns } from '../../shared/web/pages/payout-files.ts';
import { makeStoredAffiliate } from '../support/stored-records.ts';

const affiliate = makeStoredAffiliate({ firstName: '=cmd()', lastName: '', email: 'amara@example.com' });

const fileOf = (format: (typeof payoutFileFormats)[number], currency: string, amountMinor: number): string => {
  const payout = StoredPayout.parse({ sk: affiliate.id, amountMinor, saleCount: 2 });
  const batch = { id: 'batch', name: '+ March', currency } as StoredPayoutBatch;
  const columns = payoutFileColumns(batch, format);
  return csvLines([columns.map(({ value }) => value({ payout, affiliate }))]);
};

it.each(payoutFileFormats)('the file %s has each amount in the units of its currency, without rounding', (format) => {
  expect(fileOf(format, 'EUR', 123456)).toContain('"1234.56"');
  expect(fileOf(format, 'EUR', 5)).toContain('"0.05"');
  expect(fileOf(format, 'JPY', 1234)).toContain('"1234"');
  expect(fileOf(format, 'KWD', 1234)).toContain('"1.234"');
});

it.each(payoutFileFormats)('the file %s begins no cell as a formula, whatever names say', (format) => {
  const file = fileOf(format, 'EUR', 100);
  expect(file).not.toMatch(/"[=+]/);
  expect(file).toMatch(/"'[=+]/);
});
