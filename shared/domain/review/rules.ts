import { fieldError } from '../../contract/errors.ts';
import type { ReviewMode, ReviewReason, ReviewRules } from '../../contract/review.ts';
import { foldedEmail } from '../../platform/text/folded-email.ts';

export const isSameEmail = (one: string, other: string): boolean => foldedEmail(one) === foldedEmail(other);

export const minSalesOfRefundRate = 10;

export interface RefundFigures {
  sales: number;
  /** Without what was refunded. */
  revenueMinor: bigint;
  refundsMinor: bigint;
}

/** Whether at least this percentage of what was sold was refunded. False below 10 sales. */
export const isRefundedOften = ({ sales, revenueMinor, refundsMinor }: RefundFigures, percent: number): boolean =>
  sales >= minSalesOfRefundRate && refundsMinor * 100n >= (revenueMinor + refundsMinor) * BigInt(percent);

/** What the rules ask of a sale. A fact whose rule is off need not be known. */
export interface ReviewFacts {
  isOwnEmail: boolean;
  isSameCompany: boolean;
  /** Of the affiliate within an hour, this one included. */
  salesInHour: number;
  refunds: RefundFigures | undefined;
}

type Mode = Exclude<ReviewMode, 'OFF'>;
export type Finding = readonly [ReviewReason, Mode];

/** The rules that a sale breaks, in their order. docs/behavior.md#review-of-sales */
export const findingsOf = (rules: ReviewRules, facts: ReviewFacts): Finding[] => {
  const { selfReferral, sameDomain, burst, refundRate } = rules;
  const { isOwnEmail, isSameCompany, salesInHour, refunds } = facts;
  const asked: readonly [ReviewReason, ReviewMode, boolean][] = [
    ['SELF_REFERRAL', selfReferral, isOwnEmail],
    // An affiliate’s own email is what selfReferral is about.
    ['SAME_DOMAIN', sameDomain, isSameCompany && !isOwnEmail],
    ['BURST', burst.mode, salesInHour >= burst.sales],
    ['REFUND_RATE', refundRate.mode, refunds !== undefined && isRefundedOften(refunds, refundRate.percent)],
  ];
  return asked.flatMap(([reason, mode, isBroken]) => (isBroken && mode !== 'OFF' ? [[reason, mode] as const] : []));
};

const refusals: Readonly<Record<ReviewReason, string>> = {
  SELF_REFERRAL: 'An affiliate cannot be the customer of their own referral',
  SAME_DOMAIN: 'The customer’s email has the same company domain as the affiliate’s',
  BURST: 'The affiliate has made too many sales within an hour',
  REFUND_RATE: 'Too much of what the affiliate sold within 30 days was refunded',
};

const isOfCustomer = (reason: ReviewReason): boolean => reason === 'SELF_REFERRAL' || reason === 'SAME_DOMAIN';

/** The reasons to hold a sale, or a 400 for the first rule that blocks, such as `same_domain`. `field` is what named the affiliate. */
export const reasonsToHold = (findings: readonly Finding[], field = 'referralId'): ReviewReason[] => {
  const blocked = findings.find(([, mode]) => mode === 'BLOCK')?.[0];
  if (blocked) throw fieldError(isOfCustomer(blocked) ? 'email' : field, refusals[blocked], blocked.toLowerCase());
  return findings.map(([reason]) => reason);
};
