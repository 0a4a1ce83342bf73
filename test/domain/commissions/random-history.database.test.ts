import { expect, it } from 'vitest';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { readTotals } from '../../../shared/domain/affiliates/totals.ts';
import { payoutBatches } from '../../../shared/domain/payouts/repository.ts';
import { added, type Sums, sumsOfOne } from '../../../shared/domain/statistics/read-statistics.ts';
import { salesByDay } from '../../../shared/domain/statistics/sales-by-day.ts';
import { countableChangesOf, updateTotals } from '../../../shared/domain/totals/update-totals.ts';
import { now } from '../../support/domain.ts';
import { watchRecords } from '../../support/watch-records.ts';
import { RandomProgram } from './random-program.ts';

/** At full size: `HISTORY_STEPS=5000 npx vitest run test/domain/commissions/random-history.database.test.ts` */
const steps = Number(process.env.HISTORY_STEPS ?? 100);
const seed = Number(process.env.HISTORY_SEED ?? 1);
/** What happens in any history that is long enough. */
const rareThings = [
  'hold',
  'APPROVE',
  'APPROVE of what was refunded',
  'REJECT',
  'REJECT of what was refunded',
  'adjusted payout',
  'too small a payout',
  'deleted batch',
  'code of a FLAT coupon',
  'code of a PERCENTAGE coupon',
  'deletion of a group of some to another',
];
/** How many actions the totals worker lags behind. */
const lag = Math.max(10, steps / 100);

const years = [2024, 2025, 2026].map((year) => ({ first: `${year}-01-01`, last: `${year}-12-31` }));

/** What the statistics of an affiliate, or of all, add up to. */
const statisticsOf = async (programId: string, affiliateId?: string): Promise<Sums> => {
  const days = years.map(async (year) =>
    affiliateId === undefined
      ? (await salesByDay(programId, year)).map((day) => ({ ...day, sales: day.count }))
      : sumsOfOne(programId, { name: 'AFFILIATE', id: affiliateId }, year),
  );
  return added((await Promise.all(days)).flat());
};

/** Reads all records, and compares them with what other code makes of the same history. */
const expectExact = async (history: RandomProgram): Promise<void> => {
  const programId = history.program.id;
  const stored = await history.readAll();
  const adjusted = new Map<number, number>();
  for (const { saleId, amountMinor } of stored.adjustments)
    adjusted.set(Number(saleId), (adjusted.get(Number(saleId)) ?? 0) + amountMinor);
  history.expectAll(stored.sales, adjusted);
  const totals = await readTotals(
    programId,
    history.affiliates.map(({ id }) => id),
  );
  for (const affiliate of history.affiliates) {
    const own = totals.get(affiliate.id);
    const { numberOfSales, revenue, refunds, commission } = history.expectedTotals(affiliate);
    expect(own?.numberOfSales).toBe(numberOfSales);
    expect(BigInt(own?.totalRevenueMinor ?? 0)).toBe(revenue);
    expect(BigInt(own?.totalCommissionEarnedMinor ?? 0)).toBe(commission);
    expect(BigInt(own?.totalCommissionPaidMinor ?? 0)).toBe(history.paid.get(affiliate.id) ?? 0n);
    const members = await affiliates.get(programId, affiliate.id);
    expect(members?.groupId ?? null).toBe(affiliate.group.isDefault ? null : affiliate.group.id);
    const ofAdjustments = history.adjustedOf(affiliate, adjusted);
    expect(await statisticsOf(programId, affiliate.id)).toMatchObject({
      sales: numberOfSales,
      revenueMinor: revenue,
      refundsMinor: refunds,
      commissionMinor: commission - ofAdjustments,
    });
  }
  const ofAll = await Promise.all(history.affiliates.map(({ id }) => statisticsOf(programId, id)));
  expect(await statisticsOf(programId)).toEqual(added(ofAll));
  let inPaidBatches = 0n;
  for await (const { status, totalAmountMinor } of payoutBatches.all(programId))
    if (status === 'PAID') inPaidBatches += BigInt(totalAmountMinor);
  expect([...history.paid.values()].reduce((sum, amount) => sum + amount, 0n)).toBe(inPaidBatches);
};

it.concurrent.each([
  { currency: 'USD', digits: 2, timeZone: 'UTC', offsetHours: 0 },
  { currency: 'JPY', digits: 0, timeZone: 'Asia/Tokyo', offsetHours: 9 },
  { currency: 'KWD', digits: 3, timeZone: 'Asia/Kuwait', offsetHours: 3 },
])(
  'after a random history in $currency every commission, total and payout is what other code makes of it',
  async (settings) => {
    const history = new RandomProgram(settings, steps, seed);
    await history.begin();
    const changes = watchRecords(history.program);
    const count = async () => {
      await updateTotals(await countableChangesOf(await changes()), now);
      history.wasCounted();
    };
    for (let step = 1; step <= steps; step += 1) {
      await history.step();
      if (step % lag === 0) await count();
    }
    await history.end();
    await count();
    await expectExact(history);
    if (steps >= 400) expect([...history.happened]).toEqual(expect.arrayContaining(rareThings));
    expect(new Set([...history.sales.values()].map(({ source }) => source)).size).toBeGreaterThan(3);
  },
  60_000 + steps * 1000,
);
