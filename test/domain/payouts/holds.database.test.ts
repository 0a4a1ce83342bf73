import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPayoutBatch as operation } from '../../../shared/contract/payout-batches.ts';
import { createPayoutBatch, newPayoutBatch } from '../../../shared/domain/payouts/create-payout-batch.ts';
import { previewPayouts } from '../../../shared/domain/payouts/prepare/preview.ts';
import { payoutBatches } from '../../../shared/domain/payouts/repository.ts';
import { workOnPayoutBatch } from '../../../shared/domain/payouts/steps/work-on-batch.ts';
import { listSales } from '../../../shared/domain/sales/list-sales.ts';
import { pageOfDueSales, salesOnHold } from '../../../shared/domain/sales/payable-sales.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import type { PageRequest } from '../../../shared/platform/table/page.ts';
import { at, bodyOf, newProgram, now, storeAffiliate, storeSale, type TestProgram } from '../../support/domain.ts';
import { prepareBatch } from '../../support/payout-batches.ts';
import { roundTripsOf } from '../../support/round-trips.ts';
import { makeStoredSale, storeSales } from '../../support/sales.ts';
import { storeDefaultGroup, storeGroup } from '../commissions/stored-group.ts';
import { deliverToTheDying } from './deliver.ts';

const day = 24 * 60 * 60 * 1000;

/** A sale with a hold of so many days that ends so many milliseconds after now. */
const held = (affiliateId: string, days: number, ends: number, overrides: Partial<StoredSale> = {}): StoredSale =>
  makeStoredSale(affiliateId, { createdAt: at(ends - days * day), payableAt: at(ends), ...overrides });

const begin = async (make: (affiliateId: string) => StoredSale[]) => {
  const program = newProgram();
  const { id } = await storeAffiliate(program);
  const stored = make(id);
  await storeSales(program.id, stored);
  const inBatch = async (batchId: string) => {
    const found = await sales.getMany(
      program.id,
      stored.map((sale) => sale.id),
    );
    return stored.filter((sale) => found.get(sale.id)?.payoutBatchId === batchId);
  };
  return { program, affiliateId: id, stored, inBatch };
};

/** As `prepareBatch`, at another time. */
const prepareAt = async (program: TestProgram, time: Date) => {
  const { id } = await createPayoutBatch(program, bodyOf(operation, {}), time);
  let message: Parameters<typeof workOnPayoutBatch>[0] | undefined = {
    programId: program.id,
    batchId: id,
    task: 'prepare',
    phase: 0,
    round: 0,
  };
  while (message) message = (await workOnPayoutBatch(message, time))?.message;
  return (await payoutBatches.get(program.id, id)) ?? expect.unreachable('The batch is gone');
};

afterEach(() => {
  vi.restoreAllMocks();
});

const holds = Array.from({ length: 91 }, (_, days) => days);

describe('a batch', () => {
  it('takes a sale from the very moment its hold ends, whatever the length of the hold', async () => {
    const due = holds.slice(1);
    const { program, inBatch } = await begin((affiliateId) => [
      ...due.map((days) => held(affiliateId, days, 0)),
      ...due.map((days) => held(affiliateId, days, 1)),
    ]);
    const batch = await prepareBatch(program);
    const taken = await inBatch(batch.id);
    expect(taken.map(({ payableAt }) => payableAt)).toEqual(due.map(() => at(0)));
    expect(batch).toMatchObject({ saleCount: 90, totalAmountMinor: '90000' });
    // The others are those of the next one, a millisecond later.
    expect(await prepareAt(program, new Date(now.getTime() + 1))).toMatchObject({ saleCount: 90 });
  });

  it('has in its period what became payable in it, so that periods one after the other leave nothing out', async () => {
    const week = -7 * day;
    const lengths = [1, 7, 8, 30, 90];
    const { program, inBatch } = await begin((affiliateId) =>
      lengths.flatMap((days) => [week - 1, week, -1].map((ends) => held(affiliateId, days, ends))),
    );
    const batch = await prepareBatch(program, { periodStart: at(week), periodEnd: at(0) });
    expect((await inBatch(batch.id)).map(({ payableAt }) => payableAt)).toEqual(
      lengths.flatMap(() => [at(week), at(-1)]),
    );
    expect(await prepareBatch(program, { periodEnd: at(week) })).toMatchObject({ saleCount: lengths.length });
  });

  it('reads nothing that is on hold, but for the last days of it', async () => {
    const { program, stored } = await begin((affiliateId) => [
      held(affiliateId, 30, 0),
      ...[3, 10, 29].map((left) => held(affiliateId, 30, left * day)),
    ]);
    const page = async () =>
      pageOfDueSales(program.id, { periodStart: null, periodEnd: at(0) }, { limit: 100, after: undefined });
    const { found } = await roundTripsOf(page);
    expect(found).toHaveLength(1);
    expect((await page()).items.map(({ id }) => id)).toEqual([stored[0]?.id]);
  });

  it('finds each sale once, page by page, with and without a hold, from where a message of an earlier version ended', async () => {
    const { program, stored } = await begin((affiliateId) =>
      [0, 0, 0, 7, 7, 8, 90].flatMap((days, place) => [
        held(affiliateId, days, -1 - place),
        held(affiliateId, days, 1 + day),
      ]),
    );
    const due = stored.filter(({ payableAt = '' }) => payableAt <= at(0)).map(({ id }) => id);
    const found: string[] = [];
    let after: string | undefined;
    do {
      const page = await pageOfDueSales(program.id, { periodStart: null, periodEnd: at(0) }, { limit: 2, after });
      found.push(...page.items.map(({ id }) => id));
      // Without a hold, a position is the id alone.
      if (found.length === 2) expect(page.next).toBe(found[1]);
      after = page.next;
    } while (after !== undefined);
    expect(found.toSorted()).toEqual(due.toSorted());
  });

  it('race: shares no sale with another one, and each takes what is payable at its own time', async () => {
    const { program, stored, inBatch } = await begin((affiliateId) =>
      Array.from({ length: 20 }, (_, place) =>
        held(affiliateId, place % 4 === 0 ? 0 : 10 * (place % 4), place < 15 ? -1 : 5),
      ),
    );
    const batches = await Promise.all([prepareBatch(program), prepareAt(program, new Date(now.getTime() + 6))]);
    const [first, second] = await Promise.all(batches.map(({ id }) => inBatch(id)));
    expect((first?.length ?? 0) + (second?.length ?? 0)).toBe(stored.length);
    expect(first?.every(({ payableAt = '' }) => payableAt <= at(0))).toBe(true);
    expect(batches.map(({ saleCount }) => saleCount)).toEqual([first?.length, second?.length]);
  });

  it('takes what became payable between its preview and its creation', async () => {
    const { program } = await begin((affiliateId) => [
      held(affiliateId, 14, -1),
      held(affiliateId, 14, 10),
      held(affiliateId, 30, day),
    ]);
    const draft = newPayoutBatch(program.currency, bodyOf(operation, {}), now);
    expect(await previewPayouts(program.id, draft)).toMatchObject({
      totalMinor: 1000n,
      onHold: { amountMinor: 2000n, saleCount: 2, until: at(day), isComplete: true },
    });
    expect(await prepareAt(program, new Date(now.getTime() + 10))).toMatchObject({
      saleCount: 2,
      totalAmountMinor: '2000',
    });
    const rest = newPayoutBatch(program.currency, bodyOf(operation, {}), new Date(now.getTime() + 10));
    expect(await previewPayouts(program.id, rest)).toMatchObject({ totalMinor: 0n, onHold: { saleCount: 1 } });
    expect(await prepareAt(program, new Date(now.getTime() + day))).toMatchObject({ saleCount: 1 });
  });

  it('says in its preview what is on hold for the affiliates that it names, and of no others', async () => {
    const { program, affiliateId } = await begin((id) => [held(id, 30, day)]);
    const other = await storeAffiliate(program);
    await storeSales(program.id, [held(other.id, 30, 2 * day)]);
    const draft = newPayoutBatch(program.currency, bodyOf(operation, { affiliateIds: [affiliateId] }), now);
    expect(await previewPayouts(program.id, draft)).toMatchObject({
      onHold: { amountMinor: 1000n, saleCount: 1, until: at(day) },
    });
  });

  it('knows of what is on hold whether it has read all', async () => {
    const { program, stored } = await begin((id) => [1, 2, 3].map((days) => held(id, 30, days * day)));
    const idsOf = async (limit: number) => {
      const { sales: found, isComplete } = await salesOnHold(program.id, at(0), limit);
      return { ids: found.map(({ id }) => id).toSorted(), isComplete };
    };
    const ids = stored.map(({ id }) => id);
    expect(await idsOf(3)).toEqual({ ids, isComplete: true });
    expect(await idsOf(2)).toEqual({ ids: ids.slice(1), isComplete: false });
  });

  it('from a worker that is killed before and after each of its writes leaves what is on hold alone', async () => {
    const { program, inBatch, stored } = await begin((affiliateId) =>
      [0, 7, 30, 90].flatMap((days) => [held(affiliateId, days, -1), held(affiliateId, days, 365 * day)]),
    );
    const { id } = await createPayoutBatch(program, bodyOf(operation, {}), now);
    expect(await deliverToTheDying(program.id, id, 'prepare')).toBeGreaterThan(3);
    const due = stored.filter(({ payableAt = '' }) => payableAt < at(0));
    expect(await inBatch(id)).toEqual(due);
    expect(await payoutBatches.get(program.id, id)).toMatchObject({ status: 'READY', saleCount: due.length });
  });
});

describe('the smallest payout', () => {
  const given = { default: null, group: null, batch: undefined };
  it.each<{ default: number | null; group: number | null; batch: number | undefined; payouts: number }>([
    { ...given, payouts: 2 },
    { ...given, group: 1000, payouts: 2 },
    { ...given, group: 1001, payouts: 1 },
    { ...given, default: 1001, payouts: 1 },
    { ...given, default: 1001, group: 1001, payouts: 0 },
    { ...given, group: 1001, batch: 5, payouts: 1 },
    { ...given, group: 500, batch: 10, payouts: 2 },
    { ...given, group: 500, batch: 10.01, payouts: 0 },
  ])('is the larger one of batch and group, of two payouts of 10.00: %j', async ({ payouts, ...minimums }) => {
    const program = newProgram();
    const { id: groupId } = await storeGroup(program, { minimumPayoutMinor: minimums.group });
    if (minimums.default !== null) await storeDefaultGroup(program, { minimumPayoutMinor: minimums.default });
    for (const place of [groupId, null])
      await storeSale(program, (await storeAffiliate(program, { groupId: place })).id, { createdAt: at(-1) });
    const terms = minimums.batch ? { minimumAmount: minimums.batch } : {};
    const draft = newPayoutBatch(program.currency, bodyOf(operation, terms), now);
    const preview = await previewPayouts(program.id, draft);
    expect([preview.payouts.length, preview.belowMinimum]).toEqual([payouts, 2 - payouts]);
    expect(await prepareBatch(program, terms)).toMatchObject({ payoutCount: payouts, saleCount: payouts });
    // What was left out waits for a later batch.
    const open = (await listSales(program.id, { payout: 'unpaid' }, { limit: 10 })).items;
    expect(open).toHaveLength(2 - payouts);
  });
});

describe('the list of unpaid sales', () => {
  it.each([true, false])(
    'has all of them in the order of their ids, on hold or not, page by page: oldest first %s',
    async (isOldestFirst) => {
      const { program, stored } = await begin((affiliateId) =>
        [0, 30, 7, 0, 90, 30, 0].map((days, place) =>
          makeStoredSale(affiliateId, { createdAt: at(-100 + place), payableAt: at(-100 + place + days * day) }),
        ),
      );
      await storeSale(program, 'other', { payoutBatchId: 'b', createdAt: at(-50) });
      for (const limit of [1, 2, 3, 7, 100]) {
        const found: string[] = [];
        const request: PageRequest = { limit, isOldestFirst };
        do {
          const page = await listSales(program.id, { payout: 'unpaid' }, request);
          expect(page.items.length).toBeLessThanOrEqual(limit);
          found.push(...page.items.map(({ id }) => id));
          request.after = page.next;
        } while (request.after !== undefined);
        const ids = stored.map(({ id }) => id);
        expect(found, `pages of ${limit}`).toEqual(isOldestFirst ? ids : ids.toReversed());
      }
    },
  );

  it('keeps its other filters', async () => {
    const { program, affiliateId, stored } = await begin((id) => [held(id, 0, -1), held(id, 30, 1)]);
    await storeSales(program.id, [held('another', 30, 2), held(affiliateId, 30, 3, { status: 'PARTIALLY_REFUNDED' })]);
    const idsOf = async (query: object) =>
      (await listSales(program.id, { payout: 'unpaid', ...query }, { limit: 10 })).items.map(({ id }) => id);
    expect(await idsOf({ affiliateId })).toHaveLength(3);
    expect((await idsOf({ affiliateId, status: 'ACTIVE' })).toSorted()).toEqual(stored.map(({ id }) => id).toSorted());
    expect(await idsOf({ status: 'PARTIALLY_REFUNDED' })).toHaveLength(1);
  });
});
