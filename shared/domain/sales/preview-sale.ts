import type * as z from 'zod';
import { requireRecord } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import type { previewSale as operation } from '../../contract/sale-preview.ts';
import { fromMinor, positiveMinor } from '../../platform/money/money.ts';
import { dayIn } from '../../platform/time/days.ts';
import { affiliates } from '../affiliates/repository.ts';
import { refuseInactiveAffiliate } from '../attribution/attribution.ts';
import { customerOf } from '../attribution/customers.ts';
import { type Earning, type EarningProgram, earningOf, readCommissionInputs } from '../commissions/earning.ts';
import { commissionRuleResponse } from '../commissions/rules.ts';

/** What a sale would earn now, without recording it. 404; 400 for an affiliate who is not active. docs/behavior.md#what-a-sale-would-earn */
export const previewSale = async (
  program: EarningProgram,
  { affiliateId, totalEarned, product, email, customerId }: BodyOf<typeof operation>,
  now: Date,
): Promise<Earning> => {
  const totalEarnedMinor = positiveMinor('totalEarned', totalEarned, program.currency);
  const customer = customerOf({ email, customerId });
  const inputs = readCommissionInputs(program, now);
  void inputs.historyOf({ affiliateId, customer });
  const affiliate = requireRecord(await affiliates.get(program.id, affiliateId), 'Affiliate');
  refuseInactiveAffiliate({ affiliate }, 'affiliateId');
  const sale = {
    totalEarnedMinor,
    createdAt: now.toISOString(),
    day: dayIn(program.timeZone, now),
    productIds: product ? [product.productId] : [],
    commissionRate: null,
    customer,
  };
  return earningOf(program, sale, affiliate, inputs);
};

export const previewResponse = (
  { commissionEarnedMinor, commissionRule, payableAt }: Earning,
  currency: string,
): z.input<(typeof operation)['response']> => {
  const rule = commissionRuleResponse(commissionRule, currency);
  if (!rule) throw new Error('A sale of an affiliate has a rule');
  return { commissionEarned: fromMinor(commissionEarnedMinor, currency), commissionRule: rule, payableAt };
};
