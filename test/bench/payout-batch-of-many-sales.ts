import { strictEqual } from 'node:assert';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { commissionMinor } from '../../shared/domain/commissions/rules.ts';
import { allPayouts } from '../../shared/domain/payouts/payouts.ts';
import { fromMinor } from '../../shared/platform/money/money.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { makeStoredSale, storeAll, storeQuietSales, unnoticed } from '../support/sales.ts';
import { makeStoredAffiliate } from '../support/stored-records.ts';
import { bench, until } from './bench-stack.ts';

/** Prepares and pays a payout batch of 100,000 sales of 1,000 affiliates: every sum is exact, and every sale is in it. */
const saleCount = Number(process.argv[2] ?? 100_000);
const affiliateCount = Math.ceil(saleCount / 100);

await bench(async ({ programId, client, timed }) => {
  const owners = Array.from({ length: affiliateCount }, (_, number) =>
    makeStoredAffiliate({ id: newRecordId(new Date()), email: `affiliate-${number}@example.com` }),
  );
  await storeAll(unnoticed(owners.flatMap((owner) => affiliates.createWrites(programId, owner))));
  const owed = new Map<string, bigint>();
  const sales = Array.from({ length: saleCount }, (_, number) => {
    const affiliateId = owners[number % affiliateCount]?.id ?? '';
    const totalEarnedMinor = 1 + ((number * 7919) % 99_999);
    const commissionEarnedMinor = commissionMinor(totalEarnedMinor, 0, 33.333);
    owed.set(affiliateId, (owed.get(affiliateId) ?? 0n) + BigInt(commissionEarnedMinor));
    return makeStoredSale(affiliateId, { totalEarnedMinor, commissionRate: 33.333, commissionEarnedMinor });
  });
  await timed(`${saleCount} sales written`, () => storeQuietSales(programId, sales));
  const { id } = await timed('POST /payout-batches', () => client.payoutBatches.create());
  const batchOf = () => client.payoutBatches.get(id, { limit: 1 });
  await timed('READY', () => until(async () => (await batchOf()).status === 'READY'));
  const batch = await batchOf();
  const total = [...owed.values()].reduce((sum, one) => sum + one, 0n);
  strictEqual(batch.totalAmount, fromMinor(total, 'USD'));
  strictEqual(batch.saleCount, saleCount);
  strictEqual(batch.payoutCount, affiliateCount);
  for await (const payout of allPayouts(programId, id)) {
    strictEqual(payout.amountMinor, owed.get(payout.affiliateId));
    owed.delete(payout.affiliateId);
  }
  strictEqual(owed.size, 0);
  console.log(`${batch.payoutCount} payouts, ${batch.saleCount} sales, ${batch.totalAmount} USD: exact`);
  await client.payoutBatches.update(id, { status: 'PAID' });
  await timed('every sale stamped as paid', () =>
    until(async () => {
      for await (const { paidCount, saleCount: ofOne } of allPayouts(programId, id))
        if (paidCount < ofOne) return false;
      return true;
    }),
  );
});
