import { ApiError, fieldError, requireRecord } from '../../contract/errors.ts';
import { earningContradictions } from '../../contract/group-rules.ts';
import type { updateGroup as operation } from '../../contract/groups.ts';
import type { BodyOf } from '../../contract/operation.ts';
import { expectVersion, retryOnConflict, sentFields } from '../../platform/table/edit.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { storedAmounts } from './amounts.ts';
import { groups, groupsOf } from './repository.ts';
import { allGroups, applied, type Group, type GroupProgram, type StoredGroup } from './rules.ts';
import { refuseLargeGroup } from './size.ts';

type Body = BodyOf<typeof operation>;

const ownRate = 'The default group pays the program’s commissionRate: change that in the settings of the program';

/** A form may send what it was shown. */
const refuseBaseOfDefault = (body: Body, program: GroupProgram): void => {
  if (body.commissionType === 'FLAT') throw fieldError('commissionType', ownRate);
  if (body.commissionRate !== undefined && body.commissionRate !== program.commissionRate)
    throw fieldError('commissionRate', ownRate);
  if (body.commissionAmount != null) throw fieldError('commissionAmount', ownRate);
};

/** A new type takes the figure of the other one away. */
const changedBase = (group: Group, body: Body) => {
  const { commissionType, commissionRate: rate, commissionAmount: amount } = body;
  const type = commissionType ?? group.commissionType;
  const kept = { rate: group.commissionRate, amount: group.commissionAmountMinor };
  return {
    type,
    rate: rate === undefined ? (type === 'PERCENTAGE' ? kept.rate : null) : rate,
    amount: amount === undefined ? (type === 'FLAT' ? kept.amount : null) : amount,
  };
};

const refuseContradictions = (base: ReturnType<typeof changedBase>): void => {
  const names = { rate: 'commissionRate', amount: 'commissionAmount' };
  const details = earningContradictions(base, names).map(([path, message]) => ({
    path,
    message: `${path} ${message}`,
  }));
  if (details[0]) throw new ApiError('bad_request', details[0].message, { details });
};

const changedGroup = (group: Group, body: Body, program: GroupProgram, now: Date): StoredGroup => {
  const { isDefault, ...record } = group;
  const { name, commissionMonths, holdDays } = body;
  if (isDefault) refuseBaseOfDefault(body, program);
  const base = changedBase(group, body);
  refuseContradictions(base);
  return {
    ...record,
    ...sentFields({ name, commissionMonths, holdDays }),
    updatedAt: now.toISOString(),
    commissionType: base.type,
    commissionRate: base.rate,
    ...(base.amount === null && { commissionAmountMinor: null }),
    ...storedAmounts(body, program.currency),
  };
};

/** 404, 412, or 400 where the result is contradictory. The first edit of the default group stores it. docs/behavior.md#groups */
export const updateGroup = (
  program: GroupProgram,
  body: Body,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<Group> =>
  retryOnConflict(async () => {
    const stored = await groupsOf(program.id);
    const group = requireRecord(
      allGroups(stored, program).find(({ id }) => id === body.groupId),
      'Group',
    );
    expectVersion(group, expectedVersions);
    const changed = changedGroup(group, body, program, now);
    refuseLargeGroup(changed);
    const before = stored.groups.find(({ id }) => id === group.id);
    const after = { ...changed, version: group.version + 1 };
    await writeTogether(
      before ? groups.updateWrites(program.id, before, changed) : groups.createWrites(program.id, after),
    );
    return applied(after, program);
  });
