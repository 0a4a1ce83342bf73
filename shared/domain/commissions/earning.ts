import { begin } from '../../platform/concurrency/begin.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { groupsOf } from '../groups/repository.ts';
import { type GroupProgram, groupOf, type StoredGroups } from '../groups/rules.ts';
import { historyReader, type ReadHistory } from './history.ts';
import { commissionOf, type SaleToEarn, type StoredCommissionRule } from './rules.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;

export interface EarningProgram extends GroupProgram {
  timeZone: string;
}

/** The fields of a sale that its commission decides. */
export interface Earning {
  commissionRate: number;
  commissionRule: StoredCommissionRule | null;
  commissionEarnedMinor: number;
  payableAt: string;
}

/** What deciding a commission reads: the groups of the program, and histories on demand. */
export interface CommissionInputs {
  groups: Promise<StoredGroups>;
  historyOf: ReadHistory;
}

export const readCommissionInputs = (program: EarningProgram, now: Date): CommissionInputs => {
  const groups = begin(groupsOf(program.id));
  return { groups, historyOf: historyReader(program, groups, now) };
};

type EarningSale = SaleToEarn & { createdAt: string; customer: string | undefined };

/** What a sale earns by the groups and figures as they are now. docs/behavior.md#which-commission-applies */
export const earningOf = async (
  program: EarningProgram,
  sale: EarningSale,
  affiliate: Pick<StoredAffiliate, 'id' | 'commissionRate' | 'groupId'> | undefined,
  { groups, historyOf }: CommissionInputs,
): Promise<Earning> => {
  if (!affiliate)
    return { commissionRate: 0, commissionRule: null, commissionEarnedMinor: 0, payableAt: sale.createdAt };
  const group = groupOf(affiliate, await groups, program);
  const history = await historyOf({ affiliateId: affiliate.id, customer: sale.customer });
  const { commissionMinor, rule } = commissionOf(sale, affiliate, group, history);
  return {
    commissionRate: rule?.rate ?? 0,
    commissionRule: rule,
    commissionEarnedMinor: commissionMinor,
    payableAt: new Date(Date.parse(sale.createdAt) + group.holdDays * dayMilliseconds).toISOString(),
  };
};
