import type { ReviewReason, ReviewRules } from '../../contract/review.ts';
import { begin } from '../../platform/concurrency/begin.ts';
import { lastDaysIn } from '../../platform/time/days.ts';
import { affiliates } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { type Attribution, isForAffiliateAlone, isOwnCustomer } from '../attribution/attribution.ts';
import { readReviewRules } from '../programs/review-rules.ts';
import { promotionalCodes } from '../promotional-codes/repository.ts';
import type { StoredPromotionalCode } from '../promotional-codes/rules.ts';
import { findingsOf, type RefundFigures, type ReviewFacts, reasonsToHold } from '../review/rules.ts';
import { isSameCompany } from '../review/same-company.ts';
import { sumsOfOne } from '../statistics/read-statistics.ts';
import { sales, salesOfAffiliate } from './repository.ts';
import type { StoredSale } from './rules.ts';
import { saleIdEdges } from './sale-id.ts';

interface ReviewedProgram {
  id: string;
  reviewsSales?: boolean | undefined;
}

type Review = Pick<StoredSale, 'reviewStatus' | 'reviewReasons'>;

const hourMilliseconds = 60 * 60 * 1000;
const daysOfRefundRate = 30;

const held = (reviewReasons: ReviewReason[]): Review | undefined =>
  reviewReasons.length > 0 ? { reviewStatus: 'HELD', reviewReasons } : undefined;

/** Reads the rules beside the attribution; nothing where `selfReferral` is all that may be on. */
export const beginReview = ({ id, reviewsSales }: ReviewedProgram): Promise<ReviewRules> | undefined =>
  reviewsSales ? begin(readReviewRules(id)) : undefined;

/** By the ids of the newest sales, which begin with their time: the index may lag by a moment. */
const countSalesInHour = async (programId: string, affiliateId: string, burst: number, now: Date): Promise<number> => {
  const since = saleIdEdges.lowest(now.getTime() - hourMilliseconds);
  const newest = await sales.newestIds(programId, salesOfAffiliate(affiliateId), burst - 1);
  return 1 + newest.filter((id) => id > since).length;
};

const readRefunds = async (
  { id, timeZone }: { id: string; timeZone: string },
  affiliateId: string,
  now: Date,
): Promise<RefundFigures> => {
  const of = { name: 'AFFILIATE', id: affiliateId } as const;
  const days = await sumsOfOne(id, of, lastDaysIn(timeZone, daysOfRefundRate, now));
  return {
    sales: days.reduce((sum, day) => sum + day.sales, 0),
    revenueMinor: days.reduce((sum, day) => sum + day.revenueMinor, 0n),
    refundsMinor: days.reduce((sum, day) => sum + day.refundsMinor, 0n),
  };
};

type AboutEmail = Pick<ReviewFacts, 'isOwnEmail' | 'isSameCompany'>;

const factsOfEmail = async (
  rules: ReviewRules,
  affiliate: StoredAffiliate,
  email: string | null,
  code: StoredPromotionalCode | undefined,
): Promise<AboutEmail> => ({
  isOwnEmail: isOwnCustomer(affiliate, email, code),
  isSameCompany:
    rules.sameDomain !== 'OFF' &&
    email !== null &&
    !isForAffiliateAlone(code, affiliate) &&
    (await isSameCompany(affiliate.email, email)),
});

/** Held, a 400, or undefined where the sale is taken as it is. `field` is what named the affiliate. docs/behavior.md#review-of-sales */
export const reviewOfNewSale = async (
  program: ReviewedProgram & { timeZone: string },
  { affiliate, redeemed }: Pick<Attribution, 'affiliate' | 'redeemed'>,
  { email }: Pick<StoredSale, 'email'>,
  { rules: reading, field, now }: { rules: Promise<ReviewRules> | undefined; field: string; now: Date },
): Promise<Review | undefined> => {
  const code = redeemed?.code;
  if (!affiliate || (!reading && !isOwnCustomer(affiliate, email, code))) return undefined;
  const rules = await (reading ?? readReviewRules(program.id));
  const { burst, refundRate } = rules;
  const [aboutEmail, salesInHour, refunds] = await Promise.all([
    factsOfEmail(rules, affiliate, email, code),
    burst.mode === 'OFF' ? 0 : countSalesInHour(program.id, affiliate.id, burst.sales, now),
    refundRate.mode === 'OFF' ? undefined : readRefunds(program, affiliate.id, now),
  ]);
  return held(reasonsToHold(findingsOf(rules, { ...aboutEmail, salesInHour, refunds }), field));
};

const canBeHeld = ({ reviewStatus, payoutBatchId }: StoredSale): boolean =>
  payoutBatchId === null && (reviewStatus === null || reviewStatus === 'HELD');

/** For an update of the email: checks the rules about emails. Does not hold a sale that was decided or is in a batch. */
export const reviewOfChangedEmail = async (program: ReviewedProgram, sale: StoredSale): Promise<Review | undefined> => {
  const { affiliateId, promotionalCodeId, email } = sale;
  const affiliate = affiliateId && email ? await affiliates.get(program.id, affiliateId) : undefined;
  if (!affiliate || (!program.reviewsSales && !isOwnCustomer(affiliate, email, undefined))) return undefined;
  const [rules, code] = await Promise.all([
    readReviewRules(program.id),
    promotionalCodeId ? promotionalCodes.get(program.id, promotionalCodeId) : undefined,
  ]);
  const facts = { ...(await factsOfEmail(rules, affiliate, email, code)), salesInHour: 0, refunds: undefined };
  const reasons = reasonsToHold(findingsOf(rules, facts));
  return canBeHeld(sale) ? held([...new Set([...sale.reviewReasons, ...reasons])]) : undefined;
};
