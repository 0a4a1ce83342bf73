import * as z from 'zod';
import { erasureStatuses } from '../../contract/erasures.ts';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { deleteItem, queryItems } from '../../platform/table/items.ts';
import { storedFields } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import type { Write } from '../../platform/table/transaction.ts';

/** All records twice, because the first pass finds ids that lead to more; later what requests in flight have written; then its own traces. */
export const passes = ['FIND', 'ERASE', 'SWEEP', 'FORGET'] as const;

export const StoredErasure = z.object({
  ...storedFields,
  /** Keyed, so that no guess can be checked without the secret. */
  emailHash: z.string(),
  /** Until the erasure has forgotten the person. */
  encryptedEmail: z.string().nullable(),
  status: z.enum(erasureStatuses),
  endedAt: z.string().nullable(),
  /** Items by their kind; those of deleted records as TOMBSTONE. */
  erased: z.record(z.string(), z.number()),
  /** Where its worker is. */
  pass: z.enum(passes),
  step: z.number(),
  after: z.string().nullable(),
  /** When the sweep may begin. */
  sweepAt: z.string().nullable(),
});
export type StoredErasure = z.infer<typeof StoredErasure>;

/** Thrown where the same person is being erased. */
export class ErasureRunning extends Error {
  override name = 'ErasureRunning';
}

export const erasures = recordStore({
  table: 'records',
  kind: 'ERASURE',
  keepsActor: true,
  schema: StoredErasure,
  uniques: {
    EMAIL: ({ emailHash, status }) =>
      status === 'RUNNING' ? { value: emailHash, refusal: () => new ErasureRunning() } : undefined,
  },
});

/** Thrown where an erasure was purged with its program. */
export class ErasureGone extends Error {
  override name = 'ErasureGone';
}

/** In the transaction that erases an item, so that it is counted once. */
export const countWrite = (programId: string, erasureId: string, kind: string): Write => ({
  Update: {
    TableName: deployedName('records'),
    Key: erasures.keyOf(programId, erasureId),
    UpdateExpression: 'ADD #erased.#kind :one',
    ConditionExpression: 'attribute_exists(encryptedEmail)',
    ExpressionAttributeNames: { '#erased': 'erased', '#kind': kind },
    ExpressionAttributeValues: { ':one': 1 },
  },
  refusal: () => new ErasureGone(`Erasure ${erasureId} is gone`),
});

type FoundKind = 'ids' | 'customerIds';
export interface Found {
  kind: FoundKind;
  id: string;
}

const foundPartition = (programId: string) => partition(programId, 'ERASURE', 'FOUND');
const foundPrefix = (erasureId: string) => `${erasureId}#`;

/** Written with the erasure of a record, which by then nothing else shows to be the person's. */
export const foundWrite = (programId: string, erasureId: string, { kind, id }: Found): Write => ({
  Put: {
    TableName: deployedName('records'),
    Item: { pk: foundPartition(programId), sk: `${foundPrefix(erasureId)}${kind}#${id}` },
  },
  refusal: () => new Error('unconditional'),
});

const maxFoundInOneRead = 1000;

const pageOfFound = async (programId: string, erasureId: string, after?: string) => {
  const pk = foundPartition(programId);
  const { items, lastKey } = await queryItems('records', {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': foundPrefix(erasureId) },
    ProjectionExpression: 'sk',
    Limit: maxFoundInOneRead,
    ...(after && { ExclusiveStartKey: { pk, sk: after } }),
  });
  return { keys: items.map(({ sk }) => String(sk)), next: lastKey && String(lastKey.sk) };
};

/** All that an erasure has found so far. */
export const readFound = async (programId: string, erasureId: string): Promise<Found[]> => {
  const found: Found[] = [];
  let after: string | undefined;
  do {
    const { keys, next } = await pageOfFound(programId, erasureId, after);
    for (const key of keys) {
      const [, kind, id] = /^[^#]+#(ids|customerIds)#(.*)$/s.exec(key) ?? [];
      if (id !== undefined) found.push({ kind: kind === 'ids' ? 'ids' : 'customerIds', id });
    }
    after = next;
  } while (after);
  return found;
};

/** Deletes a page of it; true while there is more. */
export const forgetFound = async (programId: string, erasureId: string): Promise<boolean> => {
  const { keys, next } = await pageOfFound(programId, erasureId);
  for (const sk of keys) await deleteItem('records', { pk: foundPartition(programId), sk });
  return next !== undefined;
};
