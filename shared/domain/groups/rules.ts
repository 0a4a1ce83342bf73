import * as z from 'zod';
import { maxMinorUnits } from '../../contract/fields.ts';
import { commissionTypes, tierPeriods } from '../../contract/group-rules.ts';
import { fromMinor, toMinor } from '../../platform/money/money.ts';
import { derivedId } from '../../platform/table/derived-id.ts';
import { storedFields } from '../../platform/table/keys.ts';

/** What a sale earns: `rate` in percent, or `amountMinor` in minor units of the group's currency. */
const earning = {
  type: z.enum(commissionTypes),
  rate: z.number().nullable(),
  amountMinor: z.number().nullable(),
};

const StoredProductRule = z.object({ productIds: z.array(z.string()), ...earning });

const StoredTier = z.object({
  minimumRevenueMinor: z.number().nullable(),
  minimumSales: z.number().nullable(),
  period: z.enum(tierPeriods),
  ...earning,
});

export const StoredGroup = z.object({
  ...storedFields,
  name: z.string(),
  /** Of the amounts. A program without sales may change its own. docs/behavior.md#groups */
  currency: z.string(),
  commissionType: z.enum(commissionTypes),
  /** Of the default group the program's counts, not this one. */
  commissionRate: z.number().nullable(),
  commissionAmountMinor: z.number().nullable(),
  commissionMonths: z.number().nullable(),
  productRules: z.array(StoredProductRule),
  tiers: z.array(StoredTier),
  holdDays: z.number(),
  minimumPayoutMinor: z.number().nullable(),
  /** The slot that bounds the number of groups; the default group has none. */
  slot: z.number().nullable(),
});
export type StoredGroup = z.infer<typeof StoredGroup>;

/** A group as it applies: amounts in the program's currency, and the base rate of the default group. */
export interface Group extends StoredGroup {
  isDefault: boolean;
}

export interface GroupProgram {
  id: string;
  currency: string;
  commissionRate: number;
}

/** What is stored of a program's groups: without its default group until that is edited. */
export interface StoredGroups {
  groups: readonly StoredGroup[];
  /** Of deleted groups, whose affiliates are being moved: where they belong. */
  moves: ReadonlyMap<string, string>;
}

export const noGroups: StoredGroups = { groups: [], moves: new Map() };

/** Of a UUIDv7. Any other is older than all groups. */
const timeOf = (programId: string): Date =>
  new Date(programId[14] === '7' ? Number.parseInt(programId.replaceAll('-', '').slice(0, 12), 16) : 0);

/** Derived from the program's id alone, with its time, so that the default group is the oldest. */
export const defaultGroupId = (programId: string): string => derivedId(timeOf(programId), programId, 'DEFAULT_GROUP');

/** The default group of a program that never edited it. `version` 0: it is not stored. docs/behavior.md#groups */
export const unstoredDefault = ({ id, currency, commissionRate }: GroupProgram): StoredGroup => {
  const at = timeOf(id).toISOString();
  return {
    id: defaultGroupId(id),
    createdAt: at,
    updatedAt: at,
    version: 0,
    name: 'Default',
    currency,
    commissionType: 'PERCENTAGE',
    commissionRate,
    commissionAmountMinor: null,
    commissionMonths: null,
    productRules: [],
    tiers: [],
    holdDays: 0,
    minimumPayoutMinor: null,
    slot: null,
  };
};

/** Keeps the numbers and changes their unit, as the program's own amounts do. */
const inCurrency = (group: StoredGroup, currency: string): StoredGroup => {
  if (group.currency === currency) return group;
  const converted = (minor: number | null) =>
    minor === null ? null : Math.min(toMinor(fromMinor(minor, group.currency), currency), maxMinorUnits);
  const paying = <Rule extends { amountMinor: number | null }>(rule: Rule): Rule => ({
    ...rule,
    amountMinor: converted(rule.amountMinor),
  });
  return {
    ...group,
    currency,
    commissionAmountMinor: converted(group.commissionAmountMinor),
    minimumPayoutMinor: converted(group.minimumPayoutMinor),
    productRules: group.productRules.map(paying),
    tiers: group.tiers.map((tier) => ({ ...paying(tier), minimumRevenueMinor: converted(tier.minimumRevenueMinor) })),
  };
};

export const applied = (stored: StoredGroup, program: GroupProgram): Group => {
  const isDefault = stored.id === defaultGroupId(program.id);
  const base = isDefault && {
    commissionType: 'PERCENTAGE' as const,
    commissionRate: program.commissionRate,
    commissionAmountMinor: null,
  };
  return { ...inCurrency(stored, program.currency), ...base, isDefault };
};

const storedDefault = ({ groups }: StoredGroups, program: GroupProgram): StoredGroup =>
  groups.find(({ id }) => id === defaultGroupId(program.id)) ?? unstoredDefault(program);

/** All groups of a program, newest first, the default group last. */
export const allGroups = (stored: StoredGroups, program: GroupProgram): Group[] => {
  const others = stored.groups.filter(({ id }) => id !== defaultGroupId(program.id));
  return [...others.toSorted((one, other) => (one.id < other.id ? 1 : -1)), storedDefault(stored, program)].map(
    (group) => applied(group, program),
  );
};

export const isStored = (groupId: string, { groups }: StoredGroups): boolean => groups.some(({ id }) => id === groupId);

/** Follows deleted groups to where their affiliates belong; null is the default group. */
export const placeOf = (groupId: string | null, stored: StoredGroups): string | null => {
  let place = groupId;
  // As many hops as there are moves at most, so that a circle ends.
  for (let hop = 0; place !== null && hop <= stored.moves.size; hop++) {
    if (isStored(place, stored)) return place;
    place = stored.moves.get(place) ?? null;
  }
  return null;
};

/** The group of an affiliate: of a deleted group, the one that its affiliates move to, else the default group. docs/behavior.md#groups */
export const groupOf = (
  { groupId }: { groupId: string | null },
  stored: StoredGroups,
  program: GroupProgram,
): Group => {
  const place = placeOf(groupId, stored);
  return applied(stored.groups.find(({ id }) => id === place) ?? storedDefault(stored, program), program);
};
