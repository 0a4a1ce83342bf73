import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { decrypt, encrypt } from '../../platform/secrets/encryption.ts';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { deleteItem, queryItems } from '../../platform/table/items.ts';
import { partition } from '../../platform/table/partition.ts';
import type { Write } from '../../platform/table/transaction.ts';
import { erasures } from './erasure-record.ts';

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

/** What binds the encrypted texts of an erasure to their place. */
export const encryptionContext = (programId: string, erasureId: string): string => `erasure ${programId} ${erasureId}`;

const foundPartition = (programId: string) => partition(programId, 'ERASURE', 'FOUND');
const foundPrefix = (erasureId: string) => `${erasureId}#`;

/** Of a record, its id. What other systems call the person is encrypted, beneath a number that says nothing. */
const foundItem = async (programId: string, erasureId: string, { kind, id }: Found) =>
  kind === 'ids'
    ? { sk: `${foundPrefix(erasureId)}${kind}#${id}` }
    : {
        sk: `${foundPrefix(erasureId)}${kind}#${randomUUID()}`,
        encryptedId: await encrypt('click-ids', id, encryptionContext(programId, erasureId)),
      };

const foundWrite = async (programId: string, erasureId: string, found: Found): Promise<Write> => ({
  Put: {
    TableName: deployedName('records'),
    Item: { pk: foundPartition(programId), ...(await foundItem(programId, erasureId, found)) },
  },
  refusal: () => new Error('unconditional'),
});

/** Written in the transaction that erases an item, because the erased item no longer shows what it led to. */
export const foundWrites = (programId: string, erasureId: string, found: readonly Found[]): Promise<Write[]> =>
  Promise.all(found.map((one) => foundWrite(programId, erasureId, one)));

const maxFoundInOneRead = 1000;
const FoundItem = z.object({ sk: z.string(), encryptedId: z.string().optional() });

const pageOfFound = async (programId: string, erasureId: string, after?: string) => {
  const pk = foundPartition(programId);
  const { items, lastKey } = await queryItems('records', {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': foundPrefix(erasureId) },
    Limit: maxFoundInOneRead,
    ...(after && { ExclusiveStartKey: { pk, sk: after } }),
  });
  return { found: items.map((item) => FoundItem.parse(item)), next: lastKey && String(lastKey.sk) };
};

const foundIn = async (context: string, { sk, encryptedId }: z.infer<typeof FoundItem>): Promise<Found[]> => {
  if (encryptedId === undefined) return [{ kind: 'ids', id: sk.split('#').at(-1) ?? '' }];
  const id = await decrypt('click-ids', encryptedId, context);
  return id === undefined ? [] : [{ kind: 'customerIds', id }];
};

export const readFound = async (programId: string, erasureId: string): Promise<Found[]> => {
  const context = encryptionContext(programId, erasureId);
  const all: Found[] = [];
  let after: string | undefined;
  do {
    const { found, next } = await pageOfFound(programId, erasureId, after);
    all.push(...(await Promise.all(found.map((item) => foundIn(context, item)))).flat());
    after = next;
  } while (after);
  return all;
};

/** Deletes a page of it; true while there is more. */
export const forgetFound = async (programId: string, erasureId: string): Promise<boolean> => {
  const { found, next } = await pageOfFound(programId, erasureId);
  for (const { sk } of found) await deleteItem('records', { pk: foundPartition(programId), sk });
  return next !== undefined;
};
