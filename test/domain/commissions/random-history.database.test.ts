import { expect, it } from 'vitest';
import { readTotals } from '../../../shared/domain/affiliates/totals.ts';
import { payoutBatches } from '../../../shared/domain/payouts/repository.ts';
import { adjustments } from '../../../shared/domain/sales/adjustments.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { countableChangesOf, updateTotals } from '../../../shared/domain/totals/update-totals.ts';
import { now } from '../../support/domain.ts';
import { watchRecords } from '../../support/watch-records.ts';
import { RandomHistory } from './random-history.ts';

/** At full size: `HISTORY_STEPS=5000 npx vitest run test/domain/commissions/random-history.database.test.ts` */
const steps = Number(process.env.HISTORY_STEPS ?? 60);
const seed = Number(process.env.HISTORY_SEED ?? 1);
/** How many actions the totals worker lags behind. */
const lag = Math.max(10, steps / 100);

/** Reads all records, and compares them with what other code makes of the same history. */
const expectExact = async (history: RandomHistory): Promise<void> => {
  const programId = history.program.id;
  const stored = new Map<number, StoredSale>();
  for await (const sale of sales.all(programId)) stored.set(Number(sale.id), sale);
  const adjusted = new Map<number, number>();
  for await (const { saleId, amountMinor } of adjustments.all(programId))
    adjusted.set(Number(saleId), (adjusted.get(Number(saleId)) ?? 0) + amountMinor);
  history.expectAll(stored, adjusted);
  const totals = await readTotals(
    programId,
    history.affiliates.map(({ id }) => id),
  );
  let paid = 0n;
  for (const affiliate of history.affiliates) {
    const own = totals.get(affiliate.id);
    const { numberOfSales, revenue, commission } = history.expectedTotals(affiliate);
    expect(own?.numberOfSales).toBe(numberOfSales);
    expect(BigInt(own?.totalRevenueMinor ?? 0)).toBe(revenue);
    expect(BigInt(own?.totalCommissionEarnedMinor ?? 0)).toBe(commission);
    paid += BigInt(own?.totalCommissionPaidMinor ?? 0);
  }
  let inPaidBatches = 0n;
  for await (const { status, totalAmountMinor } of payoutBatches.all(programId))
    if (status === 'PAID') inPaidBatches += BigInt(totalAmountMinor);
  expect(paid).toBe(inPaidBatches);
};

it.each([
  { currency: 'USD', digits: 2, timeZone: 'UTC', offsetHours: 0 },
  { currency: 'JPY', digits: 0, timeZone: 'Asia/Tokyo', offsetHours: 9 },
  { currency: 'KWD', digits: 3, timeZone: 'Asia/Kuwait', offsetHours: 3 },
])(
  'after a random history in $currency every commission, total and payout is what other code makes of it',
  async (settings) => {
    const history = new RandomHistory(settings, steps, seed);
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
    await count();
    await expectExact(history);
    expect(new Set([...history.sales.values()].map(({ source }) => source)).size).toBeGreaterThan(3);
  },
  60_000 + steps * 200,
);
