import type { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { createPayoutBatch as operation } from '../../../shared/contract/payout-batches.ts';
import { newPayoutBatch } from '../../../shared/domain/payouts/create-payout-batch.ts';
import { payoutsOf } from '../../../shared/domain/payouts/payouts.ts';
import { type PayoutPreview, previewPayouts } from '../../../shared/domain/payouts/prepare/preview.ts';
import { adjustments } from '../../../shared/domain/sales/adjustments.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { recordCalls } from '../../speed/recorded-calls.ts';
import { at, bodyOf, newProgram, now, storeAffiliate, type TestProgram } from '../../support/domain.ts';
import { prepareBatch } from '../../support/payout-batches.ts';
import { makeStoredAdjustment, makeStoredSale, storeAll, storeQuietSales, storeSales } from '../../support/sales.ts';

const day = 24 * 60 * 60 * 1000;

const previewOf = (program: TestProgram) =>
  previewPayouts(program.id, newPayoutBatch(program.currency, bodyOf(operation, {}), now));

/** With so many open adjustments of one cent each, and one sale that earned 1,000.00. */
const withAdjustments = async (count: number) => {
  const program = newProgram();
  const { id: affiliateId } = await storeAffiliate(program);
  await storeSales(program.id, [makeStoredSale(affiliateId, { createdAt: at(-1), commissionEarnedMinor: 100_000 })]);
  const made = Array.from({ length: count }, () => makeStoredAdjustment(affiliateId, -1));
  await storeAll(made.flatMap((adjustment) => adjustments.createWrites(program.id, adjustment)));
  return { program, affiliateId };
};

/** With so many sales of 10.00 of commission whose hold has ended, or ends tomorrow. */
const withSalesOnHold = async (count: number, ends: number) => {
  const program = newProgram();
  const { id } = await storeAffiliate(program);
  const sold = { createdAt: at(ends - 7 * day), payableAt: at(ends) };
  await storeSales(
    program.id,
    Array.from({ length: count }, () => makeStoredSale(id, sold)),
  );
  return program;
};

describe('a preview', () => {
  it.each([
    { count: 1000, isComplete: true },
    { count: 1001, isComplete: false },
  ])('of $count adjustments takes up to 1,000 into account, and says whether that is all', async ({ count, ...is }) => {
    const { program } = await withAdjustments(count);
    expect(await previewOf(program)).toMatchObject({ totalMinor: 99_000n, ...is });
  });

  it.each([
    { count: 500, isComplete: true },
    { count: 501, isComplete: false },
  ])(
    'of $count sales on hold counts up to 500 of a week of hold, and says whether that is all',
    async ({ count, isComplete }) => {
      const program = await withSalesOnHold(count, day);
      expect(await previewOf(program)).toMatchObject({
        totalMinor: 0n,
        isComplete: true,
        onHold: { saleCount: 500, amountMinor: 500_000n, until: at(day), isComplete },
      });
    },
  );

  it.each([
    { count: 999, isComplete: true },
    { count: 1001, isComplete: false },
  ])('of $count sales adds up at most 1,000, and says whether that is all', async ({ count, isComplete }) => {
    const program = await withSalesOnHold(count, -day);
    const saleCount = Math.min(count, 1000);
    expect(await previewOf(program)).toMatchObject({
      isComplete,
      totalMinor: BigInt(saleCount) * 1000n,
      payouts: [{ saleCount }],
    });
  });
});

it('a preview reads sales that are not due yet in large pages, also where few more are due', async () => {
  const program = newProgram();
  const { id } = await storeAffiliate(program);
  const made = (count: number, terms: Partial<StoredSale>) =>
    Array.from({ length: count }, () => makeStoredSale(id, terms));
  const onHold = { createdAt: at(-6 * day), payableAt: at(day) };
  await storeQuietSales(program.id, [
    ...made(999, { createdAt: at(-1) }),
    ...made(100, onHold),
    ...made(2, { createdAt: at(-7 * day), payableAt: at(-1) }),
  ]);
  let preview: PayoutPreview | undefined;
  const { calls } = await recordCalls(async () => {
    preview = await previewOf(program);
  });
  expect(preview).toMatchObject({ isComplete: false, payouts: [{ saleCount: 1000 }] });
  expect(calls).toBeLessThanOrEqual(60);
});

it('a preview says that it is incomplete after ten pages in which nothing is due', async () => {
  let pages = 0;
  // Every page of an index has one entry, whose record is gone, and is not the last.
  vi.spyOn(documents, 'send').mockImplementation((async ({ input }: QueryCommand) => {
    const key = Object.values(input.ExpressionAttributeValues ?? {}).map(String);
    if (key.some((value) => value.endsWith('#SALE#PAYABLE'))) pages += 1;
    if (pages > 20) throw new Error('The preview reads on');
    return input.IndexName ? { Items: [{ sk: '1' }], LastEvaluatedKey: { sk: '1' } } : {};
  }) as typeof documents.send);
  expect(await previewOf(newProgram())).toMatchObject({ isComplete: false, payouts: [] });
  expect(pages).toBe(10);
});

it('a batch takes more adjustments than its preview reads', async () => {
  const { program, affiliateId } = await withAdjustments(1001);
  const batch = await prepareBatch(program);
  const payouts = await payoutsOf(program.id, batch.id, [affiliateId]);
  expect(payouts.get(affiliateId)).toMatchObject({ amountMinor: 98_999n, adjustmentCount: 1001 });
});
