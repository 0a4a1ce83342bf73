import { Page, type PageRequest } from '../../platform/table/page.ts';
import { groupsOf } from './repository.ts';
import { allGroups, type Group, type GroupProgram } from './rules.ts';

/** A page of all groups, which are few: they are read at once. docs/behavior.md#lists */
export const listGroups = async (program: GroupProgram, request: PageRequest): Promise<Page<Group>> => {
  const { limit, after, createdAfter, createdBefore, updatedAfter, isOldestFirst } = request;
  const newestFirst = allGroups(await groupsOf(program.id), program);
  const inOrder = isOldestFirst ? newestFirst.toReversed() : newestFirst;
  const isBeyond = (id: string) => after === undefined || (isOldestFirst ? id > after : id < after);
  const found = inOrder.filter(
    ({ id, createdAt, updatedAt }) =>
      isBeyond(id) &&
      (!createdAfter || createdAt >= createdAfter) &&
      (!createdBefore || createdAt < createdBefore) &&
      (!updatedAfter || updatedAt > updatedAfter),
  );
  const entries = found.slice(0, limit).map((item) => ({ item, position: item.id }));
  return new Page(entries, found.length > limit ? entries.at(-1)?.position : undefined);
};
