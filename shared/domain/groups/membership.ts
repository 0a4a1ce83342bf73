import { ApiError } from '../../contract/errors.ts';
import type { Write } from '../../platform/table/transaction.ts';
import { groups, groupsOf } from './repository.ts';
import { defaultGroupId, noGroups, type StoredGroups } from './rules.ts';

/** As it is stored on an affiliate: null for the default group. */
export const storedGroupId = (programId: string, groupId: string | null): string | null =>
  groupId === defaultGroupId(programId) ? null : groupId;

const groupNotFound = (): ApiError =>
  new ApiError('not_found', 'Group not found', {
    details: [{ path: 'groupId', message: 'groupId names no group of this program' }],
  });

/** Beside the write that puts an affiliate into a group: 404 if the group is gone. The default group always exists. */
export const groupExists = (
  programId: string,
  groupId: string | null,
  refusal: () => Error = groupNotFound,
): Write[] => (groupId === null ? [] : [groups.existsCheck(programId, groupId, refusal)]);

/** What is needed to show affiliates: nothing is read where all are in the default group. */
export const groupsFor = (
  programId: string,
  affiliates: readonly { groupId: string | null }[],
): Promise<StoredGroups> | StoredGroups =>
  affiliates.some(({ groupId }) => groupId !== null) ? groupsOf(programId) : noGroups;
