import { groups } from '../../../shared/domain/groups/repository.ts';
import { defaultGroupId, type StoredGroup } from '../../../shared/domain/groups/rules.ts';
import { newRecordId } from '../../../shared/platform/table/record-id.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { now, type TestProgram } from '../../support/domain.ts';

/** A group of 25 %, as the table keeps it. */
export const storeGroup = async (
  { id: programId, currency }: TestProgram,
  overrides: Partial<StoredGroup> = {},
): Promise<StoredGroup> => {
  const at = now.toISOString();
  const group: StoredGroup = {
    id: newRecordId(now),
    createdAt: at,
    updatedAt: at,
    version: 1,
    name: 'Partners',
    currency,
    commissionType: 'PERCENTAGE',
    commissionRate: 25,
    commissionAmountMinor: null,
    commissionMonths: null,
    productRules: [],
    tiers: [],
    holdDays: 0,
    minimumPayoutMinor: null,
    slot: null,
    ...overrides,
  };
  await writeTogether(groups.createWrites(programId, group));
  return group;
};

/** The terms of the default group. */
export const storeDefaultGroup = (program: TestProgram, overrides: Partial<StoredGroup>): Promise<StoredGroup> =>
  storeGroup(program, { id: defaultGroupId(program.id), name: 'Default', ...overrides });

/** What a later edit of a group stores. */
export const editGroup = async (program: TestProgram, before: StoredGroup, changes: Partial<StoredGroup>) => {
  const after = { ...before, ...changes };
  await writeTogether(groups.updateWrites(program.id, before, after));
  return { ...after, version: before.version + 1 };
};
