import { commissionTypeOf } from '../../contract/group-rules.ts';
import type { createGroup as operation } from '../../contract/groups.ts';
import type { BodyOf } from '../../contract/operation.ts';
import { notIdempotent } from '../../platform/table/idempotency-context.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { withFreeSlot } from '../../platform/table/slots.ts';
import { withoutReads, writeTogether } from '../../platform/table/transaction.ts';
import { storedAmounts } from './amounts.ts';
import { groupSlots, groups } from './repository.ts';
import { applied, type Group, type GroupProgram, type StoredGroup } from './rules.ts';
import { refuseLargeGroup } from './size.ts';

/** 400 where the program has all groups that it may have, or an amount is none in its currency. docs/behavior.md#groups */
export const createGroup = async (
  program: GroupProgram,
  body: BodyOf<typeof operation>,
  now: Date,
  { recordCreated } = notIdempotent,
): Promise<Group> => {
  const at = now.toISOString();
  const { commissionType: type, commissionRate: rate, commissionAmount: amount } = body;
  const group: StoredGroup = {
    id: newRecordId(now),
    createdAt: at,
    updatedAt: at,
    version: 1,
    name: body.name,
    currency: program.currency,
    commissionType: commissionTypeOf({ type, rate, amount }),
    commissionRate: rate ?? null,
    commissionAmountMinor: null,
    commissionMonths: body.commissionMonths ?? null,
    productRules: [],
    tiers: [],
    holdDays: body.holdDays,
    minimumPayoutMinor: null,
    slot: null,
    ...storedAmounts(body, program.currency),
  };
  refuseLargeGroup(group);
  return withFreeSlot(groups, program.id, groupSlots, async (slot) => {
    const written = { ...group, slot };
    await writeTogether([...withoutReads(groups.createWrites(program.id, written)), ...recordCreated(group.id)]);
    return applied(written, program);
  });
};
