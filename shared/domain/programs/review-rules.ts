import type { ReviewRules } from '../../contract/review.ts';
import { programs, type StoredProgram } from './repository.ts';

type Stored = Pick<StoredProgram, 'reviewRules' | 'allowSelfReferral'>;

const selfReferralOf = (allowSelfReferral: boolean | undefined) => (allowSelfReferral ? 'OFF' : 'BLOCK');

/** A program of an earlier version has `allowSelfReferral` alone. docs/behavior.md#review-of-sales */
export const reviewRulesOf = ({ reviewRules, allowSelfReferral }: Partial<Stored>): ReviewRules =>
  reviewRules ?? {
    selfReferral: selfReferralOf(allowSelfReferral),
    sameDomain: 'OFF',
    burst: { mode: 'OFF', sales: 10 },
    refundRate: { mode: 'OFF', percent: 30 },
  };

/** Strongly consistent. */
export const readReviewRules = async (programId: string): Promise<ReviewRules> =>
  reviewRulesOf((await programs.get(programId, programId)) ?? {});

/** Whether a rule besides `selfReferral` is on. Copied to every key, so that a sale reads the rules only if needed. */
export const reviewsSales = (program: Stored): boolean => {
  const { sameDomain, burst, refundRate } = reviewRulesOf(program);
  return [sameDomain, burst.mode, refundRate.mode].some((mode) => mode !== 'OFF');
};

/** Keeps `allowSelfReferral`, the setting from before there were rules, in step with `reviewRules`. */
export const changedReviewRules = (
  program: Stored,
  edit: { allowSelfReferral?: boolean | undefined; reviewRules?: ReviewRules | undefined },
): Pick<StoredProgram, 'reviewRules' | 'allowSelfReferral'> => {
  const { allowSelfReferral = program.allowSelfReferral } = edit;
  if (!edit.reviewRules && !program.reviewRules) return { allowSelfReferral };
  const current = reviewRulesOf(program);
  const isAllowed = current.selfReferral === 'OFF';
  const selfReferral = allowSelfReferral === isAllowed ? current.selfReferral : selfReferralOf(allowSelfReferral);
  const reviewRules = edit.reviewRules ?? { ...current, selfReferral };
  return { reviewRules, allowSelfReferral: reviewRules.selfReferral === 'OFF' };
};
