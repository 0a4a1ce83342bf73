import * as z from 'zod';
import { bounds } from '../../contract/bounds.ts';
import { fieldError } from '../../contract/errors.ts';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { deleteItem, queryAllItems, updateItem } from '../../platform/table/items.ts';
import { partition } from '../../platform/table/partition.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import { slotOf } from '../../platform/table/slots.ts';
import type { Write } from '../../platform/table/transaction.ts';
import { StoredGroup, type StoredGroups } from './rules.ts';

export const groups = recordStore({
  table: 'records',
  kind: 'GROUP',
  keepsActor: true,
  schema: StoredGroup,
  uniques: { SLOT: ({ slot }) => (slot === null ? undefined : slotOf(slot)) },
});

export const groupSlots = {
  count: bounds.groupsOfProgram - 1,
  whenFull: () =>
    fieldError('name', `A program has at most ${bounds.groupsOfProgram} groups. Delete one that is not used.`),
};

/** Beside the groups, after all ids, so that one query returns both. It is there while affiliates of a deleted group are moved. */
const movePrefix = '~';
const StoredMove = z.object({ sk: z.string(), moveTo: z.string() });

const moveKey = (programId: string, groupId: string) => ({
  pk: partition(programId, 'GROUP'),
  sk: `${movePrefix}${groupId}`,
});

/** All that is stored of a program's groups, with one consistent query: 0.5 to 1 read unit for a few groups. */
export const groupsOf = async (programId: string): Promise<StoredGroups> => {
  const groups: StoredGroup[] = [];
  const moves = new Map<string, string>();
  const query = {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partition(programId, 'GROUP') },
  };
  for await (const item of queryAllItems('records', query)) {
    if (!String(item.sk).startsWith(movePrefix)) groups.push(StoredGroup.parse(item));
    else {
      const { sk, moveTo } = StoredMove.parse(item);
      moves.set(sk.slice(movePrefix.length), moveTo);
    }
  }
  return { groups, moves };
};

/** Beside the deletion of a group, which has the condition: its affiliates belong to the group `moveTo` from now on. */
export const createMoveWrite = (programId: string, groupId: string, moveTo: string): Write => ({
  Put: { TableName: deployedName('records'), Item: { ...moveKey(programId, groupId), moveTo } },
  refusal: () => new Error('unconditional'),
});

/** Nothing if it leads elsewhere by now, or has ended. */
const leadTo = async (programId: string, from: string, { moveTo, place }: { moveTo: string; place: string }) => {
  await updateItem('records', moveKey(programId, from), {
    UpdateExpression: 'SET moveTo = :place',
    ConditionExpression: 'moveTo = :moveTo',
    ExpressionAttributeValues: { ':place': place, ':moveTo': moveTo },
  });
};

/** When nothing belongs to the deleted group any more. Moves that lead to it lead to where it leads, first. */
export const endMove = async (programId: string, groupId: string): Promise<void> => {
  const { moves } = await groupsOf(programId);
  const place = moves.get(groupId);
  if (place === undefined) return;
  for (const [from, moveTo] of moves) if (moveTo === groupId) await leadTo(programId, from, { moveTo, place });
  await deleteItem('records', moveKey(programId, groupId));
};
