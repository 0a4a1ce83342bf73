import { setTimeout as sleep } from 'node:timers/promises';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { deployedName, documents } from '../../platform/table/client.ts';
import { partition } from '../../platform/table/partition.ts';
import { RecordChanged } from '../../platform/table/record-store.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';

/**
 * The cap of a code or coupon, held by escrow: `maxRedemptions` is spread over some shards, and each
 * redemption takes one use from one shard in its own transaction. See docs/decisions/hot-items.md.
 *
 * Under `PROGRAM#<id>#<kind>#USES`: `<record id>#<shard>` with the uses that are `left` and those `given`. Shard 0 also has
 * what all shards together got (`allocated`): no two requests can hand out the same uses.
 */
type CappedKind = 'PROMOTIONAL_CODE' | 'COUPON';

/** The fields of a code or coupon that its cap is about. */
export interface Redeemable {
  id: string;
  createdAt: string;
  maxRedemptions: number | null;
  timesRedeemed: number;
  uncappedUses: number;
  cappedSince: string | null;
  isCapEdited: boolean;
}

interface Shard {
  name: string;
  left: number;
  given: number;
}

/** The state of the shards of one record. */
export interface Uses {
  shards: readonly Shard[];
  allocated: number;
}

const maxShards = 16;
const usesPerShard = 16;
const firstShard = '0';
const maxAllocations = 8;

/** A small cap is used up before its shards could matter. */
const shardCountOf = (maxRedemptions: number): number => Math.min(maxShards, Math.ceil(maxRedemptions / usesPerShard));

/**
 * Redemptions made without a cap are counted by the totals worker. When a record gets a cap, the next redemptions
 * wait until this time is over, so that those that were under way are counted by then.
 */
const settleMilliseconds = 3000;

const StoredUses = z.object({
  sk: z.string(),
  left: z.number().default(0),
  given: z.number().default(0),
  allocated: z.number().default(0),
});

const keyOf = (programId: string, kind: CappedKind, id: string, name: string) => ({
  pk: partition(programId, kind, 'USES'),
  sk: `${id}#${name}`,
});

/** The shards of a record as they are now, strongly consistent: one query of at most 16 small items. */
const readUses = async (programId: string, kind: CappedKind, id: string): Promise<Uses> => {
  const { pk, sk } = keyOf(programId, kind, id, '');
  const response = await documents.send(
    new QueryCommand({
      TableName: deployedName('records'),
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :record)',
      ExpressionAttributeValues: { ':pk': pk, ':record': sk },
    }),
  );
  const items = (response.Items ?? []).map((item) => StoredUses.parse(item));
  const shards = items.map(({ sk: key, ...shard }) => ({ ...shard, name: key.slice(sk.length) }));
  return { shards, allocated: shards.find(({ name }) => name === firstShard)?.allocated ?? 0 };
};

const sumOf = (shards: readonly Shard[], field: 'left' | 'given'): number =>
  shards.reduce((sum, shard) => sum + shard[field], 0);

/** How often a capped record was redeemed, exactly. */
const usedOf = ({ uncappedUses }: Redeemable, { shards }: Uses): number => uncappedUses + sumOf(shards, 'given');

/** The state of the shards of a record that has a cap; undefined for one without. */
const usesOf = async (programId: string, kind: CappedKind, record: Redeemable): Promise<Uses | undefined> =>
  record.maxRedemptions === null ? undefined : readUses(programId, kind, record.id);

/**
 * As `usesOf`, for a redemption: it reads the shards of a cap that was edited, and with `isExact`. Without that it can
 * take a use from any of them without looking, and looks where that fails.
 */
export const usesForRedemption = async (
  programId: string,
  kind: CappedKind,
  record: Redeemable,
  isExact: boolean,
): Promise<Uses | undefined> => (isExact || record.isCapEdited ? usesOf(programId, kind, record) : undefined);

/** The record with `timesRedeemed` as it is now where it has a cap. Without one the totals worker's count stays. */
export const withUsesOf = <Stored extends Redeemable>(record: Stored, uses: Uses | undefined): Stored =>
  uses ? { ...record, timesRedeemed: usedOf(record, uses) } : record;

/** As `withUsesOf`, for whoever has not read the shards. */
export const withExactUses = async <Stored extends Redeemable>(
  programId: string,
  kind: CappedKind,
  record: Stored,
): Promise<Stored> => withUsesOf(record, await usesOf(programId, kind, record));

const changed = (id: string) => () => new RecordChanged(`The uses of ${id} changed`);

/** Moves uses into shards, or out of them again, if nobody else has since the shards were read. */
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

/** Uses that no shard has yet, spread evenly over all shards. */
const portionsOf = (free: number, shardCount: number): Map<string, number> => {
  const portions = new Map<string, number>();
  for (let at = 0; at < Math.min(shardCount, free); at++)
    portions.set(String(at), Math.floor(free / shardCount) + (at < free % shardCount ? 1 : 0));
  return portions;
};

/** What to take back from the shards after a cap was lowered: at most `excess`. */
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

/** Takes one use from one shard; only for a shard that has some left. */
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

/** Thrown when the shard that was chosen without looking has no use left: others may have. */
export class ShardEmpty extends RecordChanged {
  readonly reason: 'code_limit_reached' | 'coupon_limit_reached';
  private readonly kind: CappedKind;
  private readonly record: Redeemable;
  constructor(kind: CappedKind, record: Redeemable) {
    super(`A shard of ${record.id} has no use left`);
    this.reason = kind === 'COUPON' ? 'coupon_limit_reached' : 'code_limit_reached';
    this.kind = kind;
    this.record = record;
  }

  /** Whether no shard has a use left. */
  async isUsedUp(programId: string): Promise<boolean> {
    const uses = await readUses(programId, this.kind, this.record.id);
    return usedOf(this.record, uses) >= (this.record.maxRedemptions ?? Number.POSITIVE_INFINITY);
  }
}

/** Takes one use of a capped record from a random shard without having read them; throws ShardEmpty where it has none. */
export const blindUseWrite = (programId: string, kind: CappedKind, record: Redeemable): Write => ({
  ...takeWrite(
    programId,
    kind,
    record.id,
    String(Math.floor(Math.random() * shardCountOf(record.maxRedemptions ?? 1))),
  ),
  refusal: () => new ShardEmpty(kind, record),
});

/** The shards of a record that is made with a cap, with all of its uses. */
export const usesCreation = (programId: string, kind: CappedKind, { id, maxRedemptions }: Redeemable): Write[] =>
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

/** Waits for the count of what was redeemed before the record had a cap. Throws RecordChanged after it has waited. */
const untilSettled = async ({ id, cappedSince, createdAt }: Redeemable): Promise<void> => {
  // A record that was made with its cap has never been redeemed without.
  if (cappedSince === null || cappedSince === createdAt) return;
  const wait = Date.parse(cappedSince) + settleMilliseconds - Date.now();
  if (wait <= 0) return;
  await sleep(Math.min(wait, settleMilliseconds));
  throw changed(id)();
};

/**
 * The write that takes one use of a capped record from a random shard that has some left. Before that, gives the shards
 * what they do not have yet of the cap, or takes back what they have too much where it was lowered. Throws RecordChanged
 * where the record has to be read again: what was read is used up by now, or the cap is new.
 *
 * @param uses the shards as they were read after the record
 */
export const useWrite = async (
  programId: string,
  kind: CappedKind,
  { record, uses }: { record: Redeemable; uses: Uses },
): Promise<Write> => {
  const { id, uncappedUses, maxRedemptions } = record;
  if (maxRedemptions === null) throw new Error(`${kind} ${id} has no cap`);
  await untilSettled(record);
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
      if (!(error instanceof RecordChanged)) throw error;
    });
    current = await readUses(programId, kind, id);
  }
  throw changed(id)();
};

/** Deletes the shards of a record that is being deleted. */
export const usesRemoval = async (programId: string, kind: CappedKind, record: Redeemable): Promise<Write[]> => {
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

/** What a record knows of its cap after an edit of `maxRedemptions`. */
export const capAfterEdit = (
  before: { maxRedemptions: number | null; cappedSince: string | null; isCapEdited: boolean },
  maxRedemptions: number | null,
  now: Date,
): { cappedSince: string | null; isCapEdited: boolean } => ({
  cappedSince: before.maxRedemptions === null && maxRedemptions !== null ? now.toISOString() : before.cappedSince,
  isCapEdited: before.isCapEdited || before.maxRedemptions !== maxRedemptions,
});
