import { beforeAll, describe, expect, it } from 'vitest';
import { deletePayoutBatch } from '../../../shared/domain/payouts/delete-payout-batch.ts';
import { batchesWithStatus, payoutBatches } from '../../../shared/domain/payouts/repository.ts';
import type { StoredPayoutBatch } from '../../../shared/domain/payouts/rules.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { newRecordId } from '../../../shared/platform/table/record-id.ts';
import { newProgram, now, type TestProgram } from '../../support/domain.ts';
import { createBatch } from '../../support/payout-batches.ts';
import { storeAll } from '../../support/sales.ts';

/** A batch that gathered nothing: the smallest of the records that can be listed. */
const emptyBatch = (at: Date): StoredPayoutBatch => ({
  id: newRecordId(at),
  createdAt: at.toISOString(),
  updatedAt: at.toISOString(),
  version: 1,
  name: null,
  status: 'NO_TRANSACTIONS',
  step: 'DONE',
  periodStart: null,
  periodEnd: at.toISOString(),
  affiliateIds: null,
  paymentMethod: null,
  couponId: null,
  minimumAmountMinor: null,
  currency: 'USD',
  payoutCount: 0,
  saleCount: 0,
  totalAmountMinor: '0',
  paidAt: null,
  source: 'API',
});

/** A program with so many batches, and their ids, the oldest first. */
const storeBatches = async (count: number) => {
  const program = newProgram();
  const begin = now.getTime() - 24 * 60 * 60 * 1000;
  const stored = Array.from({ length: count }, (_, at) => emptyBatch(new Date(begin + at)));
  await storeAll(stored.flatMap((batch) => payoutBatches.createWrites(program.id, batch)));
  return { program, ids: stored.map(({ id }) => id) };
};

describe('a long list', () => {
  let program: TestProgram;
  let ids: string[];
  beforeAll(async () => {
    ({ program, ids } = await storeBatches(1000));
  });

  it.each([
    ['all records', undefined],
    ['a filter', batchesWithStatus('NO_TRANSACTIONS')],
  ])('costs the same read units for its 100th page as for its first: %s', async (_, entry) => {
    let units = 0;
    // Beside the product: what each command says that it consumed.
    documents.middlewareStack.add(
      (next) => async (args) => {
        Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' });
        const response = await next(args);
        const { ConsumedCapacity } = response.output as { ConsumedCapacity?: unknown };
        for (const consumed of [ConsumedCapacity ?? []].flat())
          units += (consumed as { CapacityUnits: number }).CapacityUnits;
        return response;
      },
      { step: 'initialize', name: 'countUnits' },
    );
    try {
      // Pages of 9, so that the 100th is a full one.
      const size = 9;
      const newestFirst = ids.toReversed();
      const readPage = async (number: number) => {
        units = 0;
        const after = newestFirst[(number - 1) * size - 1];
        const { items } = await payoutBatches.page(program.id, { limit: size, after }, entry);
        return { first: items[0]?.id, count: items.length, units };
      };
      const first = await readPage(1);
      expect(first).toEqual({ first: newestFirst[0], count: size, units: expect.any(Number) });
      expect(first.units).toBeGreaterThan(0);
      const there = newestFirst[99 * size];
      expect(await readPage(100)).toEqual({ first: there, count: size, units: first.units });
    } finally {
      documents.middlewareStack.remove('countUnits');
    }
  });

  it('walked in pages while others come and go shows each that is there throughout, once', async () => {
    const { program, ids } = await storeBatches(400);
    const deleted = new Set(ids.filter((_, at) => at % 79 === 7));
    const added = new Set<string>();
    const seen: string[] = [];
    const leaving = [...deleted];
    let after: string | undefined;
    for (let at = 0; at === 0 || after !== undefined; at += 1) {
      const last = after;
      const leaves = at % 2 === 0 ? leaving.pop() : undefined;
      const [page] = await Promise.all([
        payoutBatches.page(program.id, { limit: 10, after: last }),
        at % 4 === 0 && createBatch(program).then(({ id }) => added.add(id)),
        leaves !== undefined && deletePayoutBatch(program.id, leaves, undefined, now),
      ]);
      seen.push(...page.items.map(({ id }) => id));
      after = page.next;
    }
    expect(leaving).toEqual([]);
    expect(added.size).toBe(10);
    expect(new Set(seen).size).toBe(seen.length);
    const wholeTime = seen.filter((id) => !deleted.has(id) && !added.has(id));
    expect(wholeTime).toEqual(ids.filter((id) => !deleted.has(id)).reverse());
  });
});
