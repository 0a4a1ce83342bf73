import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { ApiError } from '../../contract/errors.ts';
import { countedKinds } from '../../contract/needs.ts';
import { forEachConcurrent } from '../concurrency/for-each-concurrent.ts';
import { deployedName } from './deployed-name.ts';
import { getItem, putItem, queryItems, updateItem } from './items.ts';
import { partition } from './partition.ts';

/**
 * How many records a program may have. An item holds how many more may be created: each creation takes from it in its own
 * transaction, and it is counted again when it is used up, since deletions give nothing back. docs/behavior.md#records-on-the-free-plan
 */

export interface RecordBound {
  programId: string;
  max: number;
  now: Date;
  sentence: string;
}

export class RecordBoundReached extends ApiError {
  constructor(sentence: string) {
    super('bad_request', sentence);
  }
}

/** A full program is counted no more often: what was deleted makes room after it. */
const recountMilliseconds = 60_000;
const keptSeconds = 24 * 60 * 60;
const maxConcurrency = 4;
const maxCounts = 12;

interface Bounded extends RecordBound {
  /** Taken already for records that the action is about to create. */
  reserved: number;
}

const bounded = new AsyncLocalStorage<Bounded>();

/** All records that `action` creates count against the bound. */
export const withRecordBound = <Result>(bound: RecordBound, action: () => Result): Result =>
  bounded.run({ ...bound, reserved: 0 }, action);

const keyOf = (programId: string) => ({ pk: `RECORD_ROOM#${programId}`, sk: 'RECORD_ROOM' });

/** `lastClaim` differs after every claim, so that no count replaces a later one. */
const Room = z.object({ room: z.number(), lastClaim: z.string(), recountAfter: z.number() });
type Room = z.infer<typeof Room>;

/** What takes room, if there is enough of it. */
const claimOf = (count: number) => ({
  UpdateExpression: 'SET room = room - :count, lastClaim = :claim',
  ConditionExpression: 'room >= :count',
  ExpressionAttributeValues: { ':count': count, ':claim': randomUUID() },
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
});

const expiryAt = (now: Date): number => Math.ceil(now.getTime() / 1000) + keptSeconds;

/** Reads no more than the bound of each kind. */
const countRecords = async (programId: string, max: number): Promise<number> => {
  let counted = 0;
  await forEachConcurrent(countedKinds, maxConcurrency, async (kind) => {
    let from: Record<string, unknown> | undefined;
    let ofKind = 0;
    do {
      const { items, lastKey } = await queryItems('records', {
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': partition(programId, kind) },
        ProjectionExpression: 'sk',
        ConsistentRead: true,
        Limit: max - ofKind,
        ...(from && { ExclusiveStartKey: from }),
      });
      ofKind += items.length;
      from = lastKey;
    } while (from && ofKind < max && counted < max);
    counted += ofKind;
  });
  return counted;
};

/** Counts the records, unless something was created meanwhile. False if that leaves too little room. */
const makeRoom = async (
  { programId, max, now }: RecordBound,
  seen: Room | undefined,
  wanted: number,
): Promise<boolean> => {
  if (seen && seen.recountAfter > now.getTime()) return false;
  const room = Math.max(0, max - (await countRecords(programId, max)));
  const isEnough = room >= wanted;
  const { isWritten } = await updateItem('traffic', keyOf(programId), {
    UpdateExpression: 'SET room = :room, lastClaim = :claim, recountAfter = :after, #ttl = :ttl',
    ConditionExpression: seen ? 'lastClaim = :seen' : 'attribute_not_exists(pk)',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: {
      ':room': room,
      ':claim': randomUUID(),
      ':after': isEnough ? 0 : now.getTime() + recountMilliseconds,
      ':ttl': expiryAt(now),
      ...(seen && { ':seen': seen.lastClaim }),
    },
  });
  return isEnough || !isWritten;
};

/** Whether this many records may be created. Reserves no room, and counts the records only where the room is not known. */
export const hasRoom = async (bound: RecordBound, wanted: number): Promise<boolean> => {
  const seen = Room.optional().parse(await getItem('traffic', keyOf(bound.programId)));
  return (seen !== undefined && seen.room >= wanted) || makeRoom(bound, seen, wanted);
};

/** Thrown by `write` with what the item was, where the claim was refused. */
export class NoRoom extends Error {
  readonly item: Room | undefined;

  constructor(item: Record<string, unknown> | undefined) {
    super('There is no room for the records');
    this.item = Room.optional().parse(item);
  }
}

type Claim = ReturnType<typeof claimOf> & Pick<UpdateCommandInput, 'TableName' | 'Key'>;

const claiming = async (bound: RecordBound, count: number, write: (claim: Claim) => Promise<void>): Promise<void> => {
  for (let counts = 0; counts <= maxCounts; counts++) {
    try {
      return await write({ TableName: deployedName('traffic'), Key: keyOf(bound.programId), ...claimOf(count) });
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error;
      if (!(await makeRoom(bound, error.item, count))) break;
    }
  }
  throw new RecordBoundReached(bound.sentence);
};

/** Writes so many new records, with a claim for them where the program is bounded. */
export const writeWithinBound = async (
  count: number,
  write: (claim: Claim | undefined) => Promise<void>,
): Promise<void> => {
  const bound = bounded.getStore();
  if (!bound || count <= 0) return write(undefined);
  if (bound.reserved < count) return claiming(bound, count, write);
  bound.reserved -= count;
  try {
    await write(undefined);
  } catch (error) {
    bound.reserved += count;
    throw error;
  }
};

/** One claim for what is about to be created in many transactions, which would conflict over theirs. */
export const reserveRecords = async (count: number): Promise<void> => {
  const bound = bounded.getStore();
  if (!bound) return;
  try {
    await claiming(bound, count, async ({ TableName: _table, Key: _key, ...claim }) => {
      const claimed = await updateItem('traffic', keyOf(bound.programId), claim);
      if (!claimed.isWritten) throw new NoRoom(claimed.item);
    });
    bound.reserved += count;
  } catch (error) {
    // Each creation takes what is left.
    if (!(error instanceof RecordBoundReached)) throw error;
  }
};

/** The next creation counts the records, because something else than forms has changed them. */
export const forgetRoom = (programId: string, now: Date): Promise<void> =>
  putItem('traffic', {
    ...keyOf(programId),
    ...({ room: 0, lastClaim: randomUUID(), recountAfter: 0 } satisfies Room),
    ttl: expiryAt(now),
  });
