import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Move, moveParts } from '../../../shared/domain/payouts/parts/move-parts.ts';
import { adjustmentParts, type Part, saleParts, worthOf } from '../../../shared/domain/payouts/parts/parts.ts';
import { allPayouts, incrementPayoutWrite } from '../../../shared/domain/payouts/payouts.ts';
import { adjustments, type StoredAdjustment } from '../../../shared/domain/sales/adjustments.ts';
import { ConcurrentModificationError } from '../../../shared/platform/table/keys.ts';
import type { Write } from '../../../shared/platform/table/transaction.ts';
import { newProgram } from '../../support/domain.ts';
import { makeStoredAdjustment, makeStoredSale, storeAll, storeQuietSales } from '../../support/sales.ts';
import { transactionSizesOf } from '../../support/transactions.ts';

afterEach(() => vi.restoreAllMocks());

const batchId = randomUUID();

/** Open adjustments of these affiliates, one for each name. */
const setUp = async (affiliateIds: readonly string[]) => {
  const program = newProgram();
  const parts = affiliateIds.map((affiliateId) => makeStoredAdjustment(affiliateId, 100));
  await storeAll(parts.flatMap((part) => adjustments.createWrites(program.id, part)));
  const stored = async () => (await adjustments.page(program.id, { limit: 1000 })).items;
  return { program, parts, stored };
};

const claiming = <Stored extends Part>(programId: string, overrides: Partial<Move<Stored>> = {}): Move<Stored> => ({
  select: async (parts) => parts.filter(({ payoutBatchId }) => payoutBatchId === null),
  edit: (part) => ({ ...part, payoutBatchId: batchId }),
  together: (affiliateId, parts) => [
    incrementPayoutWrite(
      programId,
      batchId,
      affiliateId,
      { amountMinor: 1n, adjustmentCount: parts.length },
      { opens: true },
    ),
  ],
  guards: [],
  ...overrides,
});

const times = (count: number, nameOf: (at: number) => string) => Array.from({ length: count }, (_, at) => nameOf(at));
const conflict = (): Write => ({
  ConditionCheck: {
    TableName: process.env.RECORDS_TABLE ?? '',
    Key: { pk: 'nothing', sk: 'nothing' },
    ConditionExpression: 'attribute_exists(pk)',
  },
  refusal: () => new ConcurrentModificationError('Another batch was first'),
});

describe('parts that move', () => {
  it('count the guards, and what goes with each affiliate', async () => {
    const guard: Write = {
      ConditionCheck: {
        TableName: process.env.RECORDS_TABLE ?? '',
        Key: { pk: 'nothing', sk: 'nothing' },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
      refusal: () => new Error('unconditional'),
    };
    const { program, parts } = await setUp(times(99, () => 'a'));
    const move = () => moveParts(program.id, adjustmentParts, parts, claiming(program.id, { guards: [guard] }));
    expect(await transactionSizesOf(move)).toEqual([100, 3]);
  });

  it('begin at any affiliate, and move each part once', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { program, parts, stored } = await setUp(['a', 'b', 'c', 'd']);
    const order: string[] = [];
    const move = claiming<StoredAdjustment>(program.id);
    await moveParts(program.id, adjustmentParts, parts.toReversed(), {
      ...move,
      edit: (part) => {
        order.push(part.affiliateId);
        return move.edit(part);
      },
    });
    expect(order).toEqual(['c', 'd', 'a', 'b']);
    expect((await stored()).map(({ version }) => version)).toEqual([2, 2, 2, 2]);
  });

  it('of more than 2 MB go in several transactions', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const program = newProgram();
    const metadata = { notes: 'x'.repeat(100_000) };
    const sold = Array.from({ length: 24 }, () => makeStoredSale('a', { metadata }));
    await storeQuietSales(program.id, sold);
    const move = () => moveParts(program.id, saleParts, sold, claiming(program.id));
    // 20 sales of 100 KB are below 2 MB.
    expect(await transactionSizesOf(move)).toEqual([21, 5]);
  });

  it('are read again after a conflict, and go on as long as fewer are left', async () => {
    const { program, parts, stored } = await setUp(times(15, () => 'a'));
    let asked = 0;
    await moveParts(program.id, adjustmentParts, parts, {
      ...claiming<StoredAdjustment>(program.id),
      select: async (found) => {
        asked += 1;
        return found.slice(1);
      },
      guards: [conflict()],
    });
    // One is left out with each conflict: 14 of them, and none is left.
    expect(asked).toBe(15);
    expect((await stored()).every(({ payoutBatchId }) => payoutBatchId === null)).toBe(true);
  });

  it('are given up after 12 conflicts in which none was taken, and at once after any other failure', async () => {
    const { program, parts } = await setUp(['a', 'a']);
    const move = (guard: Write) => {
      const select = vi.fn(async (found: readonly StoredAdjustment[]) => found);
      const moving = moveParts(program.id, adjustmentParts, parts, {
        ...claiming(program.id),
        select,
        guards: [guard],
      });
      return { moving, select };
    };
    const often = move(conflict());
    await expect(often.moving).rejects.toThrow('Another batch was first');
    expect(often.select).toHaveBeenCalledTimes(12);
    const once = move({ ...conflict(), refusal: () => new Error('broken') });
    await expect(once.moving).rejects.toThrow('broken');
    expect(once.select).toHaveBeenCalledTimes(1);
  });

  it('are worth their sum, beyond what a number keeps exactly too', () => {
    const most = Number.MAX_SAFE_INTEGER;
    const parts = [makeStoredAdjustment('a', most), makeStoredAdjustment('a', most), makeStoredAdjustment('a', -1)];
    expect(worthOf(adjustmentParts, parts)).toBe(2n * BigInt(most) - 1n);
    expect(worthOf(saleParts, [])).toBe(0n);
  });

  it.each([
    { are: 'of one affiliate', affiliateIds: times(150, () => 'a'), transactions: [100, 52] },
    { are: 'as many as fit', affiliateIds: times(99, () => 'a'), transactions: [100] },
    { are: 'of one affiliate each', affiliateIds: times(60, (at) => `a${at}`), transactions: [100, 20] },
    { are: 'of two affiliates in turn', affiliateIds: times(66, (at) => `a${at % 2}`), transactions: [68] },
    { are: 'none', affiliateIds: [], transactions: [] },
  ])(
    'go in transactions of at most 100 writes, those of an affiliate together: $are',
    async ({ affiliateIds, transactions }) => {
      vi.spyOn(Math, 'random').mockReturnValue(0);
      const { program, parts, stored } = await setUp(affiliateIds);
      const move = () => moveParts(program.id, adjustmentParts, parts, claiming<StoredAdjustment>(program.id));
      expect(await transactionSizesOf(move)).toEqual(transactions);
      expect((await stored()).every(({ payoutBatchId }) => payoutBatchId === batchId)).toBe(true);
      const counts = new Map<string, number>();
      for await (const payout of allPayouts(program.id, batchId))
        counts.set(payout.affiliateId, payout.adjustmentCount);
      const expected = Map.groupBy(affiliateIds, (id) => id);
      expect(counts).toEqual(new Map([...expected].map(([id, ids]) => [id, ids.length])));
    },
  );
});
