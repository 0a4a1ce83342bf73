import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  blindUseWrite,
  capAfterEdit,
  createUsesWrites,
  deleteUsesWrites,
  ShardEmpty,
  usesForRedemption,
  useWrite,
  withExactUses,
  withUsesOf,
} from '../../../shared/domain/uses/counters.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { queryItems } from '../../../shared/platform/table/items.ts';
import { ConcurrentModificationError } from '../../../shared/platform/table/keys.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { at, newProgram, now, storeCode, storeCoupon, type TestProgram } from '../../support/domain.ts';
import { makeStoredCode } from '../../support/stored-records.ts';
import { cappedCode, kind } from './capped-code.ts';

afterEach(() => vi.restoreAllMocks());

/** The shards of a code: the uses left in each, those given, and what all have got. */
const shardsOf = async (program: TestProgram, id: string) => {
  const { items } = await queryItems('records', {
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :id)',
    ExpressionAttributeValues: { ':pk': partition(program.id, kind, 'USES'), ':id': `${id}#` },
  });
  const byName = items.toSorted(
    (one, other) => Number(String(one.sk).split('#')[1]) - Number(String(other.sk).split('#')[1]),
  );
  return {
    left: byName.map(({ left }) => left),
    given: byName.map(({ given }) => given ?? 0),
    allocated: byName.map(({ allocated }) => allocated),
  };
};

/** How many uses can be taken one after the other. */
const takenOf = async (take: () => Promise<void>, atMost: number): Promise<number> => {
  for (let taken = 0; taken < atMost; taken++)
    try {
      await take();
    } catch (error) {
      if (!(error instanceof ConcurrentModificationError)) throw error;
      return taken;
    }
  return atMost;
};

describe('the uses of a cap', () => {
  it.each([
    { cap: 1, left: [1] },
    { cap: 2, left: [2] },
    { cap: 16, left: [16] },
    { cap: 17, left: [9, 8] },
    { cap: 40, left: [14, 13, 13] },
    { cap: 256, left: Array(16).fill(16) },
    { cap: 257, left: [17, ...Array(15).fill(16)] },
    { cap: 1000, left: [...Array(8).fill(63), ...Array(8).fill(62)] },
  ])('of $cap are spread over shards of 16, at most 16 of them', async ({ cap, left }) => {
    const { program, code } = await cappedCode(cap);
    const shards = await shardsOf(program, code.id);
    expect(shards.left).toEqual(left);
    expect(shards.given).toEqual(left.map(() => 0));
    expect(shards.allocated).toEqual([cap, ...left.slice(1).map(() => undefined)]);
  });

  it('are none without a cap, and are written once', async () => {
    const { program, code } = await cappedCode(17);
    expect(createUsesWrites(program.id, kind, { ...code, maxRedemptions: null })).toEqual([]);
    const again = writeTogether(createUsesWrites(program.id, kind, code));
    await expect(again).rejects.toThrow(`The uses of ${code.id} changed`);
  });

  it.each([
    { random: 0, shard: 0 },
    { random: 0.34, shard: 1 },
    { random: 0.999, shard: 2 },
  ])('are taken of any shard without a look at it: at random $random of shard $shard', async ({ random, shard }) => {
    const { program, code } = await cappedCode(40);
    vi.spyOn(Math, 'random').mockReturnValue(random);
    await writeTogether([blindUseWrite(program.id, kind, code)]);
    const expected = [14, 13, 13];
    expected[shard] = (expected[shard] ?? 0) - 1;
    expect((await shardsOf(program, code.id)).left).toEqual(expected);
    expect((await withExactUses(program.id, kind, code)).timesRedeemed).toBe(1);
  });

  it.each([
    { of: kind, reason: 'code_limit_reached' },
    { of: 'COUPON', reason: 'coupon_limit_reached' },
  ] as const)(
    'of a $of that are gone are refused, used up only where no shard has one left',
    async ({ of, reason }) => {
      const program = newProgram();
      const record = makeStoredCode({ id: randomUUID(), maxRedemptions: 17 });
      await writeTogether(createUsesWrites(program.id, of, record));
      vi.spyOn(Math, 'random').mockReturnValue(0);
      const take = () => writeTogether([blindUseWrite(program.id, of, record)]);
      for (let use = 0; use < 9; use++) await take();
      const refusal = await take().catch((error: unknown) => error);
      if (!(refusal instanceof ShardEmpty)) throw refusal;
      expect(refusal.reason).toBe(reason);
      expect(await refusal.isUsedUp(program.id)).toBe(false);
      vi.spyOn(Math, 'random').mockReturnValue(0.5);
      for (let use = 0; use < 7; use++) await take();
      expect(await refusal.isUsedUp(program.id)).toBe(false);
      await take();
      expect(await refusal.isUsedUp(program.id)).toBe(true);
    },
  );

  it('are read for a redemption only after an edit of the cap, or where they must be exact', async () => {
    const { program, code } = await cappedCode(17);
    const send = vi.spyOn(documents, 'send');
    const shards = { allocated: 17, shards: [{ left: 9 }, { left: 8 }] };
    expect(await usesForRedemption(program.id, kind, code, false)).toBeUndefined();
    expect(await usesForRedemption(program.id, kind, { ...code, maxRedemptions: null }, true)).toBeUndefined();
    expect(send).not.toHaveBeenCalled();
    expect(await usesForRedemption(program.id, kind, code, true)).toMatchObject(shards);
    expect(await usesForRedemption(program.id, kind, { ...code, isCapEdited: true }, false)).toMatchObject(shards);
    for (const [{ input }] of send.mock.calls) expect(input).toMatchObject({ ConsistentRead: true });
  });

  it('and those before the cap are what was redeemed; without a cap the worker’s count is', () => {
    const code = makeStoredCode({ maxRedemptions: 9, timesRedeemed: 1, uncappedUses: 3 });
    const shards = [
      { name: '0', left: 1, given: 2 },
      { name: '1', left: 1, given: 4 },
    ];
    expect(withUsesOf(code, { shards, allocated: 8 }).timesRedeemed).toBe(9);
    expect(withUsesOf(code, { shards: [], allocated: 0 }).timesRedeemed).toBe(3);
    expect(withUsesOf(code, undefined).timesRedeemed).toBe(1);
  });
});

describe('an edited cap', () => {
  it.each([
    { from: 2, to: 20, used: 1, left: 19 },
    { from: 40, to: 3, used: 1, left: 2 },
    { from: 40, to: 1, used: 1, left: 0 },
    { from: 40, to: 1, used: 3, left: 0 },
  ])('of $to instead of $from leaves $left uses after $used', async ({ from, to, used, left }) => {
    const { program, code, take } = await cappedCode(from);
    for (let use = 0; use < used; use++) await take();
    const edited = { ...code, maxRedemptions: to, isCapEdited: true };
    expect(await takenOf(() => take(edited), 20)).toBe(left);
    expect((await withExactUses(program.id, kind, edited)).timesRedeemed).toBe(Math.max(to, used));
    if (used <= to) expect((await shardsOf(program, code.id)).allocated[0]).toBe(to);
  });

  it('counts what was redeemed before it', async () => {
    const { code, take } = await cappedCode(5, { uncappedUses: 3, isSettled: true });
    expect(await takenOf(() => take({ ...code, isCapEdited: true }), 6)).toBe(2);
  });

  it('of a code that had none fills its shards from nothing, once for all who saw them empty', async () => {
    const program = newProgram();
    const code = await storeCode(program, await storeCoupon(program));
    const capped = { ...code, maxRedemptions: 20, cappedSince: at(0), isCapEdited: true, isSettled: true };
    const uses = { shards: [], allocated: 0 };
    expect(await usesForRedemption(program.id, kind, capped, false)).toEqual(uses);
    for (let use = 0; use < 2; use++)
      await writeTogether([await useWrite(program.id, kind, { record: capped, couponId: code.couponId, uses })]);
    const { left, allocated } = await shardsOf(program, code.id);
    expect(left.reduce<number>((sum, one) => sum + Number(one), 0)).toBe(18);
    expect(allocated).toEqual([20, undefined]);
  });

  it('that is gone takes no use', async () => {
    const { program, code } = await cappedCode(5);
    const taking = useWrite(program.id, kind, {
      record: { ...code, maxRedemptions: null },
      couponId: code.couponId,
      uses: { shards: [], allocated: 0 },
    });
    await expect(taking).rejects.toThrow('has no cap');
  });

  const capped = { maxRedemptions: 5, cappedSince: at(-1), isCapEdited: false, isSettled: true };
  const uncapped = { maxRedemptions: null, cappedSince: null, isCapEdited: false, isSettled: true };
  it.each([
    { before: capped, to: 5, after: { cappedSince: at(-1), isCapEdited: false, isSettled: true } },
    { before: capped, to: 6, after: { cappedSince: at(-1), isCapEdited: true, isSettled: true } },
    { before: capped, to: null, after: { cappedSince: at(-1), isCapEdited: true, isSettled: true } },
    { before: uncapped, to: null, after: { cappedSince: null, isCapEdited: false, isSettled: true } },
    { before: uncapped, to: 5, after: { cappedSince: at(0), isCapEdited: true, isSettled: false } },
    {
      before: { ...capped, isCapEdited: true, isSettled: false },
      to: 5,
      after: { cappedSince: at(-1), isCapEdited: true, isSettled: false },
    },
  ])('from $before.maxRedemptions to $to must be settled anew only where it is the first', ({ before, to, after }) =>
    expect(capAfterEdit(before, to, now)).toEqual(after),
  );
});

describe('the uses of a deleted code', () => {
  it('go with it, unless they changed since they were read', async () => {
    const { program, code } = await cappedCode(17);
    const stale = await deleteUsesWrites(program.id, kind, code);
    const raised = { ...code, maxRedemptions: 18, isCapEdited: true };
    const uses = await usesForRedemption(program.id, kind, raised, true);
    if (uses) await useWrite(program.id, kind, { record: raised, couponId: code.couponId, uses });
    await expect(writeTogether(stale)).rejects.toThrow(`The uses of ${code.id} changed`);
    await writeTogether(await deleteUsesWrites(program.id, kind, raised));
    expect((await shardsOf(program, code.id)).left).toEqual([]);
  });

  it('are not looked for where it never had a cap', async () => {
    const send = vi.spyOn(documents, 'send');
    expect(await deleteUsesWrites(newProgram().id, kind, makeStoredCode())).toEqual([]);
    expect(send).not.toHaveBeenCalled();
  });
});
