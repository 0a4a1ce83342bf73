import type * as z from 'zod';
import type { changeProgram } from '../../contract/pages/program-settings.ts';
import { type ReviewMode, type ReviewRules, reviewModes } from '../../contract/review.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { reviewRulesOf } from '../../domain/programs/review-rules.ts';
import { minSalesOfRefundRate } from '../../domain/review/rules.ts';
import { Field, type Filled, optionsOf, Select } from '../components/controls.tsx';

const words = { OFF: 'Record as usual', HOLD: 'Hold for review', BLOCK: 'Refuse' } as const;

type ChangedProgram = z.output<typeof changeProgram.form>;
type EnteredRules = Partial<
  Pick<ChangedProgram, 'selfReferral' | 'sameDomain' | 'burst' | 'burstSales' | 'refundRate' | 'refundPercent'>
>;

/** Beside the other fields of the form; undefined for a form of an earlier version. */
export const enteredReviewRules = <Form extends EnteredRules>(program: StoredProgram, form: Form) => {
  const { selfReferral, sameDomain, burst, burstSales, refundRate, refundPercent, ...edit } = form;
  const current = reviewRulesOf(program);
  const reviewRules: ReviewRules | undefined = selfReferral && {
    selfReferral,
    sameDomain: sameDomain ?? current.sameDomain,
    burst: { mode: burst ?? current.burst.mode, sales: burstSales ?? current.burst.sales },
    refundRate: {
      mode: refundRate ?? current.refundRate.mode,
      percent: refundPercent ?? current.refundRate.percent,
    },
  };
  return { reviewRules, edit };
};

interface RuleProps {
  name: keyof EnteredRules;
  label: string;
  filled: Filled;
}

const Mode = (props: RuleProps & { hint: string; chosen: ReviewMode }) => (
  <Select {...props} options={optionsOf(reviewModes, words)} />
);

const Bound = ({ current, ...props }: RuleProps & { current: number; unit?: string }) => (
  <Field {...props} initial={String(current)} required inputMode="numeric" />
);

const Rules = ({ rules: { burst, refundRate, ...rules }, filled }: { rules: ReviewRules; filled: Filled }) => (
  <>
    <Mode
      name="selfReferral"
      label="The affiliate is the customer"
      hint="By email. Dots, and what follows a plus, do not count."
      chosen={rules.selfReferral}
      filled={filled}
    />
    <Mode
      name="sameDomain"
      label="The customer works with the affiliate"
      hint="Both emails are of one company. Providers such as Gmail do not count."
      chosen={rules.sameDomain}
      filled={filled}
    />
    <Mode
      name="burst"
      label="Many sales at once"
      hint="Of one affiliate within an hour"
      chosen={burst.mode}
      filled={filled}
    />
    <Bound name="burstSales" label="From this number of sales on" current={burst.sales} filled={filled} />
    <Mode
      name="refundRate"
      label="Many refunds"
      hint={`Of what one affiliate sold in 30 days, from ${minSalesOfRefundRate} sales on`}
      chosen={refundRate.mode}
      filled={filled}
    />
    <Bound
      name="refundPercent"
      label="From this share of refunds on"
      current={refundRate.percent}
      unit="%"
      filled={filled}
    />
  </>
);

export const ReviewFields = ({ program, filled }: { program: StoredProgram; filled: Filled }) => (
  <fieldset class="wide">
    <legend>Sales to review</legend>
    <p class="hint">
      A sale that is held is recorded, and its commission is not paid until someone approves it, under Sales, Review. A
      refused sale is not recorded.
    </p>
    <div class="fields">
      <Rules rules={reviewRulesOf(program)} filled={filled} />
    </div>
  </fieldset>
);
