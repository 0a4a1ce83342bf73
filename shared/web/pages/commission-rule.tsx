import type { StoredCommissionRule } from '../../domain/commissions/rules.ts';
import { defaultGroupId, type StoredGroups } from '../../domain/groups/rules.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import type { Entry } from '../components/blocks.tsx';
import { moneyText } from '../components/money.tsx';
import { dayText } from '../components/time.tsx';
import { earningText, groupPath } from './group-words.tsx';

/** What decided a commission, in words. docs/behavior.md#which-commission-applies */

const sources: Readonly<Record<StoredCommissionRule['source'], string>> = {
  SALE: 'Set for this sale',
  AFFILIATE: 'The affiliate’s own rate',
  PRODUCT: 'The rule for the product',
  TIER: 'A tier that the affiliate reached',
  GROUP: 'The rate of the group',
  PROGRAM: 'The program’s rate',
};

export const commissionTerms = (
  { commissionRule, commissionRate: rate }: Pick<StoredSale, 'commissionRule' | 'commissionRate'>,
  currency: string,
): string => earningText(commissionRule ?? { rate, amountMinor: null }, currency);

const periods = { ALL_TIME: 'so far', MONTH: 'in that month' } as const;

const reachedText = (
  { measure, period, minimum, reached }: NonNullable<StoredCommissionRule['tier']>,
  currency: string,
) =>
  measure === 'REVENUE'
    ? `From ${moneyText(minimum, currency)} of revenue ${periods[period]}; the affiliate had ${moneyText(reached, currency)}`
    : `From ${minimum} sales ${periods[period]}; the affiliate had ${reached}`;

export const groupNameOf = (programId: string, { groups }: StoredGroups, id: string): string | undefined =>
  groups.find((group) => group.id === id)?.name ?? (id === defaultGroupId(programId) ? 'Default' : undefined);

export const shortReason = ({ commissionRule: rule, affiliateId }: StoredSale): string => {
  if (!rule) return affiliateId === null ? 'Nobody is credited' : 'Not kept';
  return rule.overSince === null ? sources[rule.source] : 'The months of the group are over';
};

const hintOf = (rule: StoredCommissionRule, currency: string): string | null => {
  if (rule.overSince !== null)
    return `Nothing any more: the customer’s first sale was on ${dayText(rule.overSince)}, and the group pays for a limited number of months`;
  return rule.tier && reachedText(rule.tier, currency);
};

/** Why, with the figures that decided, and the group that the affiliate was in. */
export const reasonEntries = (
  { id: programId, currency }: { id: string; currency: string },
  rule: StoredCommissionRule | null,
  groupName: string | undefined,
): readonly Entry[] => {
  if (!rule) return [];
  const group = groupName === undefined ? 'Deleted' : <a href={groupPath(programId, rule.groupId)}>{groupName}</a>;
  return [
    ['Why this commission', sources[rule.source], hintOf(rule, currency)],
    ['Group', group],
  ];
};
