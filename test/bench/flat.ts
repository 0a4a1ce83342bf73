import { randomUUID } from 'node:crypto';
import { createPromotionalCode as operation } from '../../shared/contract/promotional-codes.ts';
import { createLink } from '../../shared/domain/affiliates/create-link.ts';
import { links } from '../../shared/domain/affiliates/link-repository.ts';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { createPromotionalCode } from '../../shared/domain/promotional-codes/create-promotional-code.ts';
import { codesOfCoupon, promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import { createSale } from '../../shared/domain/sales/create-sale.ts';
import { sales, salesOfAffiliate } from '../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../shared/domain/sales/rules.ts';
import { incrementDayWrite, salesByDay } from '../../shared/domain/statistics/sales-by-day.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { type Write, writeTogether } from '../../shared/platform/table/transaction.ts';
import { lastDaysIn } from '../../shared/platform/time/days.ts';
import { type Cost, costOf } from '../support/capacity.ts';
import { inTurn } from '../support/in-turn.ts';
import { makeStoredSale, unnoticed } from '../support/sales.ts';
import { makeStoredAffiliate, makeStoredCode, makeStoredLink } from '../support/stored-records.ts';
import { bench } from './bench-stack.ts';

// What requests cost in programs of 100, 10,000 and 100,000 sales, and as many codes of one coupon and links: calls and units
// have to be equal. The functions behind the requests run in this process. Run by hand:
// `npx node test/bench/flat.ts [size...]`. Exit code 1 where a cost differs.
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [100, 10_000, 100_000];
const rounds = 20;
const dayMilliseconds = 24 * 60 * 60 * 1000;
const days = 60;
/** So that the records of one part at a time are in memory. */
const codesInOnePart = 5000;

/** Many new records in few calls: a transaction is one commit of the embedded database. */
const storeTogether = async (writes: readonly Write[]): Promise<void> => {
  const parts = Array.from({ length: Math.ceil(writes.length / 100) }, (_, at) =>
    writes.slice(at * 100, at * 100 + 100),
  );
  await inTurn(parts, (part) => writeTogether(part), 4);
};

const median = (values: readonly number[]): number => values.toSorted((one, other) => one - other)[rounds / 2] ?? 0;

const rows: Record<string, Record<string, unknown>> = {};
const firstCosts = new Map<string, Cost>();

const measure = async (name: string, size: number, request: (round: number) => Promise<unknown>): Promise<void> => {
  const times: number[] = [];
  const total = await costOf(async () => {
    for (let round = 0; round < rounds; round++) {
      const start = performance.now();
      await request(round);
      times.push(performance.now() - start);
    }
  });
  const cost = {
    calls: total.calls / rounds,
    readUnits: total.readUnits / rounds,
    writeUnits: total.writeUnits / rounds,
  };
  rows[`${name}, ${size}`] = { ...cost, 'median ms': Number(median(times).toFixed(1)) };
  const first = firstCosts.get(name) ?? cost;
  firstCosts.set(name, first);
  if (JSON.stringify(first) !== JSON.stringify(cost)) {
    process.exitCode = 1;
    console.log(`${name} costs something else with ${size} records`);
  }
};

const seedSales = async (programId: string, affiliateId: string, size: number) => {
  const end = Date.now();
  const stored = Array.from({ length: size }, (_, at) => {
    const createdAt = new Date(end - Math.floor((at * days * dayMilliseconds) / size) - 1).toISOString();
    return makeStoredSale(affiliateId, { createdAt });
  });
  await storeTogether(unnoticed(stored.flatMap((sale) => sales.createWrites(programId, sale))));
  const byDay = Map.groupBy(stored, ({ createdAt }) => createdAt.slice(0, 10));
  const amount = (count: number) => BigInt(count * 1000);
  const sums = [...byDay].map(([day, { length }]) =>
    incrementDayWrite(programId, day, { sales: BigInt(length), revenueMinor: amount(length), commissionMinor: 0n }),
  );
  await storeTogether(sums);
  return stored;
};

const seedCodesAndLinks = async (programId: string, couponId: string, size: number) => {
  for (let first = 0; first < size; first += codesInOnePart) {
    const records = Array.from({ length: Math.min(codesInOnePart, size - first) }, (_, at) => {
      const id = newRecordId(new Date());
      const link = makeStoredLink({ id, link: `stored-link-${first + at}`, affiliateId: randomUUID() });
      return [
        ...promotionalCodes.createWrites(programId, makeStoredCode({ id, code: `STORED-${first + at}`, couponId })),
        ...links.createWrites(programId, link),
      ];
    });
    await storeTogether(unnoticed(records.flat()));
  }
};

const measureReads = async (
  programId: string,
  { affiliateId, couponId }: { affiliateId: string; couponId: string },
  stored: readonly StoredSale[],
) => {
  const size = stored.length;
  const saleAt = (round: number) => stored[Math.floor((round * size) / rounds)]?.id ?? '';
  const limit = 50;
  await measure('one sale by id', size, (round) => sales.get(programId, saleAt(round)));
  await measure('first page of 50 sales', size, () => sales.page(programId, { limit }));
  await measure('page of 50 sales in the middle', size, () =>
    sales.page(programId, { limit, after: stored[Math.floor(size / 4)]?.id }),
  );
  await measure('page of 50 sales of an affiliate', size, () =>
    sales.page(programId, { limit }, salesOfAffiliate(affiliateId)),
  );
  await measure('first page of 50 codes', size, () => promotionalCodes.page(programId, { limit }));
  await measure('page of 50 codes of a coupon', size, () =>
    promotionalCodes.page(programId, { limit }, codesOfCoupon(couponId)),
  );
  await measure('one code by its text', size, (round) =>
    promotionalCodes.find(programId, 'CODE', `STORED-${Math.floor((round * size) / rounds)}`),
  );
  await measure('one link by its text', size, (round) =>
    links.find(programId, 'SLUG', `stored-link-${Math.floor((round * size) / rounds)}`),
  );
  await measure('first page of 50 links', size, () => links.page(programId, { limit }));
  await measure('overview of 30 days', size, () => salesByDay(programId, lastDaysIn('UTC', 30, new Date())));
};

const measureCreations = async (programId: string, couponId: string, size: number) => {
  const program = { id: programId, currency: 'USD', commissionRate: 10, timeZone: 'UTC' };
  const owner = makeStoredAffiliate({ id: newRecordId(new Date()), email: 'owner@example.com' });
  await storeTogether(affiliates.createWrites(programId, owner));
  await measure('sale by a code', size, (round) =>
    createSale(program, { totalEarned: 10, promoCode: 'FLAT', email: `buyer-${round}@example.com` }, new Date()),
  );
  await measure('code of a coupon', size, (round) =>
    createPromotionalCode(program, operation.body.parse({ couponId, code: `NEW-${round}` }), new Date()),
  );
  await measure('link of an affiliate', size, (round) =>
    createLink(programId, { affiliateId: owner.id, link: `new-link-${round}` }, new Date()),
  );
};

await bench(async ({ anotherProgram, timed }) => {
  for (const size of sizes) {
    const { programId, client } = await anotherProgram();
    const { id: couponId } = await client.coupons.create({ name: 'Flat', percentOff: 20 });
    await client.promotionalCodes.create({ couponId, code: 'FLAT' });
    const affiliateId = randomUUID();
    const stored = await timed(`${size} sales, codes and links stored`, async () => {
      await seedCodesAndLinks(programId, couponId, size);
      return seedSales(programId, affiliateId, size);
    });
    await measureReads(programId, { affiliateId, couponId }, stored);
    await measureCreations(programId, couponId, size);
  }
  console.table(rows);
});
