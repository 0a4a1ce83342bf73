import { ApiError, fieldError, requireRecord } from '../../contract/errors.ts';
import { expectVersion, retryOnConflict } from '../../platform/table/edit.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { affiliates, affiliatesInGroup } from '../affiliates/repository.ts';
import { groupExists, storedGroupId } from '../groups/membership.ts';
import { createMoveWrite, groups, groupsOf } from '../groups/repository.ts';
import { allGroups, type Group, type GroupProgram, type StoredGroups } from '../groups/rules.ts';

const stays = new ApiError('conflict', 'The default group of a program cannot be deleted');
const hasAffiliates = new ApiError('conflict', 'The group has affiliates: name in moveTo the group that they move to');

/** The group that affiliates move to: 404, or 400 if it is the one that they leave. */
export const groupToMoveTo = (all: readonly Group[], groupId: string, moveTo: string): Group => {
  if (moveTo === groupId) throw fieldError('moveTo', 'moveTo must be another group than groupId');
  return requireRecord(
    all.find(({ id }) => id === moveTo),
    'Group in moveTo',
  );
};

const isEmpty = async (programId: string, groupId: string, { moves }: StoredGroups): Promise<boolean> => {
  if ([...moves.values()].includes(groupId)) return false;
  const inGroup = (affiliate: { groupId: string | null }) => affiliate.groupId === groupId;
  const page = await affiliates.page(programId, { limit: 1 }, affiliatesInGroup(groupId), inGroup);
  return page.items.length === 0 && page.next === undefined;
};

/** Its affiliates follow in the background. 404, 412, or 409 with affiliates and without `moveTo`. docs/behavior.md#deleting-a-group */
export const deleteGroup = (
  program: GroupProgram,
  { groupId, moveTo }: { groupId: string; moveTo?: string | null | undefined },
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<Group> =>
  retryOnConflict(async () => {
    const stored = await groupsOf(program.id);
    const all = allGroups(stored, program);
    const group = requireRecord(
      all.find(({ id }) => id === groupId),
      'Group',
    );
    if (group.isDefault) throw stays;
    expectVersion(group, expectedVersions);
    const place = moveTo ? storedGroupId(program.id, groupToMoveTo(all, groupId, moveTo).id) : null;
    if (!moveTo && !(await isEmpty(program.id, groupId, stored))) throw hasAffiliates;
    const { isDefault: _isDefault, ...record } = group;
    await writeTogether([
      ...groups.deleteWrites(program.id, record),
      groups.deletionWrite(program.id, groupId, now),
      ...groupExists(program.id, place, () => new ConcurrentModificationError(`Group ${moveTo} was deleted`)),
      ...(place ? [createMoveWrite(program.id, groupId, place)] : []),
    ]);
    return group;
  });
