import * as z from 'zod';
import { fieldError } from '../../contract/errors.ts';
import { handle as handleField } from '../../contract/fields.ts';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { getItem, updateItem } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import type { Write } from '../../platform/table/transaction.ts';
import { slugCandidates, slugOf } from '../../platform/text/slug.ts';

/** The public name of a program, which no two programs of the service share. docs/behavior.md#handles */

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const handleKey = (handle: string) => ({ pk: `HANDLE#${handle}`, sk: 'HANDLE' });

export const HandleItem = z.object({ programId: z.string() });

export class HandleTaken extends Error {}

/** A program that was given none, as one of an earlier version, is named by its id. */
export const handleOf = ({ id, handle }: { id: string; handle: string | null }): string => handle ?? id;

/** Throws a 400 for the id of another program. */
export const refuseForeignId = (handle: string, programId: string): void => {
  if (uuid.test(handle) && handle !== programId) throw fieldError('handle', 'handle must not be an id');
};

/** For a new program: made from its name. Ends never. */
export const handleCandidates = async function* (name: string, randomNumber: () => number): AsyncGenerator<string> {
  const slug = (await slugOf(name)).slice(0, 30).replace(/-$/, '');
  const base = handleField.safeParse(slug).success ? slug : `program${slug && `-${slug}`}`;
  yield* slugCandidates(base, randomNumber);
};

export const createHandleWrite = (handle: string, programId: string): Write => ({
  Put: {
    TableName: deployedName('records'),
    Item: { ...handleKey(handle), programId },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  refusal: () => new HandleTaken(`The handle ${handle} is taken`),
});

const deleteHandleWrite = (handle: string, programId: string): Write => ({
  Delete: {
    TableName: deployedName('records'),
    Key: handleKey(handle),
    ConditionExpression: 'programId = :programId',
    ExpressionAttributeValues: { ':programId': programId },
  },
  refusal: () => new ConcurrentModificationError(`The handle ${handle} is of another program`),
});

const ownsHandle = async (programId: string, handle: string): Promise<boolean> => {
  const item = await getItem('records', handleKey(handle));
  return item !== undefined && HandleItem.parse(item).programId === programId;
};

/** The id of the program that a handle names, which may be the id itself. One read, or none. */
export const programIdOfHandle = async (handle: string): Promise<string | undefined> => {
  if (uuid.test(handle)) return handle;
  if (!handleField.safeParse(handle).success) return undefined;
  const item = await getItem('records', handleKey(handle));
  return item && HandleItem.parse(item).programId;
};

/** Frees the handle of a program. After a restore somebody else may have it. */
export const releaseHandleWrites = async ({ id, handle }: { id: string; handle: string | null }): Promise<Write[]> =>
  handle !== null && (await ownsHandle(id, handle)) ? [deleteHandleWrite(handle, id)] : [];

/** For a restored program: what another one took meanwhile is not its handle any more. */
export const forgetLostHandle = async ({ id, handle }: { id: string; handle: string | null }): Promise<void> => {
  if (handle === null || (await ownsHandle(id, handle))) return;
  await updateItem(
    'records',
    { pk: partition(id, 'PROGRAM'), sk: id },
    { UpdateExpression: 'REMOVE #handle', ExpressionAttributeNames: { '#handle': 'handle' } },
  );
};
