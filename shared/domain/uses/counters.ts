import * as z from 'zod';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { queryItems } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import type { CappedKind, Redeemable } from './capped.ts';
import { untilSettled } from './settle.ts';

/** Escrow: each redemption takes one use from one of several shards. See docs/decisions/hot-items.md. */

interface Shard {
  name: string;
  left: number;
  given: number;
}

/** `allocated`, on shard 0, is what all shards together got, so that no two requests hand out the same uses. */
export interface Uses {
  shards: readonly Shard[];
  allocated: number;
}

const maxShards = 16;
const usesPerShard = 16;
const firstShard = '0';
const maxAllocations = 8;

/** A small cap is used up before shards matter. */
const shardCountOf = (maxRedemptions: number): number => Math.min(maxShards, Math.ceil(maxRedemptions / usesPerShard));

export const StoredUses = z.object({
  sk: z.string(),
  left: z.number().default(0),
  given: z.number().default(0),
  allocated: z.number().default(0),
});

const keyOf = (programId: string, kind: CappedKind, id: string, name: string) => ({
  pk: partition(programId, kind, 'USES'),
  sk: `${id}#${name}`,
});

const readUses = async (programId: string, kind: CappedKind, id: string): Promise<Uses> => {
  const { pk, sk } = keyOf(programId, kind, id, '');
  const { items } = await queryItems('records', {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :record)',
    ExpressionAttributeValues: { ':pk': pk, ':record': sk },
  });
  const stored = items.map((item) => StoredUses.parse(item));
  const shards = stored.map(({ sk: key, ...shard }) => ({ ...shard, name: key.slice(sk.length) }));
  return { shards, allocated: shards.find(({ name }) => name === firstShard)?.allocated ?? 0 };
};

const sumOf = (shards: readonly Shard[], field: 'left' | 'given'): number =>
  shards.reduce((sum, shard) => sum + shard[field], 0);

const usedOf = ({ uncappedUses }: Redeemable, { shards }: Uses): number => uncappedUses + sumOf(shards, 'given');

const usesOf = async (programId: string, kind: CappedKind, record: Redeemable): Promise<Uses | undefined> =>
  record.maxRedemptions === null ? undefined : readUses(programId, kind, record.id);

/** Reads the shards only if the cap was edited or with `isExact`; otherwise a use is taken blindly. */
export const usesForRedemption = async (
  programId: string,
  kind: CappedKind,
  record: Redeemable,
  isExact: boolean,
): Promise<Uses | undefined> => (isExact || record.isCapEdited ? usesOf(programId, kind, record) : undefined);

/** Without a cap, the totals worker's count stays. */
export const withUsesOf = <Stored extends Redeemable>(record: Stored, uses: Uses | undefined): Stored =>
  uses ? { ...record, timesRedeemed: usedOf(record, uses) } : record;

export const withExactUses = async <Stored extends Redeemable>(
  programId: string,
  kind: CappedKind,
  record: Stored,
): Promise<Stored> => withUsesOf(record, await usesOf(programId, kind, record));

const changed = (id: string) => () => new ConcurrentModificationError(`The uses of ${id} changed`);

/** Moves uses into or out of shards, if nobody else did since they were read. */
const allocate = (
  programId: string,
  kind: CappedKind,
  id: string,
  { allocated }: Uses,
  amounts: ReadonlyMap<string, number>,
): Promise<void> => {
  const moved = [...amounts.values()].reduce((sum, amount) => sum + amount, 0);
  const write = (name: string, amount: number): Write => {
    const isFirst = name === firstShard;
    const unmoved =
      allocated === 0 ? '(attribute_not_exists(allocated) OR allocated = :before)' : 'allocated = :before';
    const conditions = [...(isFirst ? [unmoved] : []), ...(amount < 0 ? ['#left >= :needed'] : [])];
    return {
      Update: {
        TableName: deployedName('records'),
        Key: keyOf(programId, kind, id, name),
        UpdateExpression: `ADD #left :amount${isFirst ? ', allocated :moved' : ''}`,
        ...(conditions.length > 0 && { ConditionExpression: conditions.join(' AND ') }),
        ExpressionAttributeNames: { '#left': 'left' },
        ExpressionAttributeValues: {
          ':amount': amount,
          ...(isFirst && { ':moved': moved, ':before': allocated }),
          ...(amount < 0 && { ':needed': -amount }),
        },
      },
      refusal: changed(id),
    };
  };
  const others = [...amounts].filter(([name]) => name !== firstShard);
  return writeTogether([
    write(firstShard, amounts.get(firstShard) ?? 0),
    ...others.map(([name, amount]) => write(name, amount)),
  ]);
};

const portionsOf = (free: number, shardCount: number): Map<string, number> => {
  const portions = new Map<string, number>();
  for (let at = 0; at < Math.min(shardCount, free); at++)
    portions.set(String(at), Math.floor(free / shardCount) + (at < free % shardCount ? 1 : 0));
  return portions;
};

const withdrawalsOf = ({ shards }: Uses, excess: number): Map<string, number> => {
  const withdrawals = new Map<string, number>();
  let rest = excess;
  for (const { name, left } of shards) {
    const amount = Math.min(left, rest);
    if (amount > 0) withdrawals.set(name, -amount);
    rest -= amount;
  }
  return withdrawals;
};

const takeWrite = (programId: string, kind: CappedKind, id: string, name: string): Write => ({
  Update: {
    TableName: deployedName('records'),
    Key: keyOf(programId, kind, id, name),
    UpdateExpression: 'ADD #left :less, given :one',
    ConditionExpression: '#left > :none',
    ExpressionAttributeNames: { '#left': 'left' },
    ExpressionAttributeValues: { ':less': -1, ':one': 1, ':none': 0 },
  },
  refusal: changed(id),
});

/** Thrown if the blindly chosen shard is empty: others may not be. */
export class ShardEmpty extends ConcurrentModificationError {
  readonly reason: 'code_limit_reached' | 'coupon_limit_reached';
  private readonly kind: CappedKind;
  private readonly record: Redeemable;
  constructor(kind: CappedKind, record: Redeemable) {
    super(`A shard of ${record.id} has no use left`);
    this.reason = kind === 'COUPON' ? 'coupon_limit_reached' : 'code_limit_reached';
    this.kind = kind;
    this.record = record;
  }

  async isUsedUp(programId: string): Promise<boolean> {
    const uses = await readUses(programId, this.kind, this.record.id);
    return usedOf(this.record, uses) >= (this.record.maxRedemptions ?? Number.POSITIVE_INFINITY);
  }
}

/** Takes a use from a random shard without reading; throws ShardEmpty. */
export const blindUseWrite = (programId: string, kind: CappedKind, record: Redeemable): Write => ({
  ...takeWrite(
    programId,
    kind,
    record.id,
    String(Math.floor(Math.random() * shardCountOf(record.maxRedemptions ?? 1))),
  ),
  refusal: () => new ShardEmpty(kind, record),
});

export const createUsesWrites = (programId: string, kind: CappedKind, { id, maxRedemptions }: Redeemable): Write[] =>
  maxRedemptions === null
    ? []
    : [...portionsOf(maxRedemptions, shardCountOf(maxRedemptions))].map(([name, left]) => ({
        Put: {
          TableName: deployedName('records'),
          Item: {
            ...keyOf(programId, kind, id, name),
            left,
            given: 0,
            ...(name === firstShard && { allocated: maxRedemptions }),
          },
          ConditionExpression: 'attribute_not_exists(pk)',
        },
        refusal: changed(id),
      }));

/** Takes a use from a random non-empty shard, after an edited cap is reconciled. Throws ConcurrentModificationError to read again. */
export const useWrite = async (
  programId: string,
  kind: CappedKind,
  { record, couponId, uses }: { record: Redeemable; couponId: string; uses: Uses },
): Promise<Write> => {
  const { id, uncappedUses, maxRedemptions } = record;
  if (maxRedemptions === null) throw new Error(`${kind} ${id} has no cap`);
  await untilSettled(programId, kind, { record, couponId });
  let current = uses;
  for (let attempt = 0; attempt < maxAllocations; attempt++) {
    const free = maxRedemptions - uncappedUses - current.allocated;
    const stocked = current.shards.filter(({ left }) => left > 0);
    if (free === 0 || (free < 0 && stocked.length === 0)) {
      const shard = stocked[Math.floor(Math.random() * stocked.length)];
      if (!shard) break;
      return takeWrite(programId, kind, id, shard.name);
    }
    const amounts = free > 0 ? portionsOf(free, shardCountOf(maxRedemptions)) : withdrawalsOf(current, -free);
    await allocate(programId, kind, id, current, amounts).catch((error: unknown) => {
      if (!(error instanceof ConcurrentModificationError)) throw error;
    });
    current = await readUses(programId, kind, id);
  }
  throw changed(id)();
};

export const deleteUsesWrites = async (programId: string, kind: CappedKind, record: Redeemable): Promise<Write[]> => {
  const { id, cappedSince } = record;
  if (cappedSince === null) return [];
  const { shards, allocated } = await readUses(programId, kind, id);
  return shards.map(({ name }) => ({
    Delete: {
      TableName: deployedName('records'),
      Key: keyOf(programId, kind, id, name),
      ...(name === firstShard && {
        ConditionExpression: 'allocated = :read',
        ExpressionAttributeValues: { ':read': allocated },
      }),
    },
    refusal: changed(id),
  }));
};

export const capAfterEdit = (
  before: Pick<Redeemable, 'maxRedemptions' | 'cappedSince' | 'isCapEdited' | 'isSettled'>,
  maxRedemptions: number | null,
  now: Date,
): Pick<Redeemable, 'cappedSince' | 'isCapEdited' | 'isSettled'> => {
  const isNew = before.maxRedemptions === null && maxRedemptions !== null;
  return {
    cappedSince: isNew ? now.toISOString() : before.cappedSince,
    isCapEdited: before.isCapEdited || before.maxRedemptions !== maxRedemptions,
    isSettled: before.isSettled && !isNew,
  };
};
