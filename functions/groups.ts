import { requireRecord } from '../shared/contract/errors.ts';
import { groupOperations } from '../shared/contract/groups.ts';
import { deleteGroup } from '../shared/domain/deletions/delete-group.ts';
import { createGroup } from '../shared/domain/groups/create-group.ts';
import { listGroups } from '../shared/domain/groups/list-groups.ts';
import { groupsOf } from '../shared/domain/groups/repository.ts';
import { groupResponse } from '../shared/domain/groups/responses.ts';
import { allGroups, type GroupProgram } from '../shared/domain/groups/rules.ts';
import { updateGroup } from '../shared/domain/groups/update-group.ts';
import { apiPath } from '../shared/http/api.ts';
import { selectorOf } from '../shared/http/selectors.ts';

const readOne = async (program: GroupProgram, groupId: string) => {
  const all = allGroups(await groupsOf(program.id), program);
  return groupResponse(
    requireRecord(
      all.find(({ id }) => id === groupId),
      'Group',
    ),
    program.id,
  );
};

export const handler = apiPath(groupOperations, {
  readGroup: ({ program, parameters }) => readOne(program, parameters.id.value),
  listGroups: async ({ program, query, page }) => {
    const selector = selectorOf(query, ['id']);
    if (selector) return readOne(program, selector.value);
    return (await listGroups(program, page)).map((group) => groupResponse(group, program.id));
  },
  createGroup: async ({ program, body, now, idempotency }) =>
    groupResponse(await createGroup(program, body, now, idempotency), program.id),
  updateGroup: async ({ program, body, expectedVersions, now }) =>
    groupResponse(await updateGroup(program, body, expectedVersions, now), program.id),
  deleteGroup: async ({ program, body, expectedVersions, now }) => {
    const { id, name } = await deleteGroup(program, body, expectedVersions, now);
    return { message: 'Group deleted', deletedGroup: { id, name } };
  },
});
