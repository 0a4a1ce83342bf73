import { type ReviewMode, type ReviewRules, reviewModes } from '../../contract/review.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { reviewRulesOf } from '../../domain/programs/review-rules.ts';
import { minSalesOfRefundRate } from '../../domain/review/rules.ts';
import { Field, type Filled, Select } from '../components/controls.tsx';

const words = { OFF: 'Record as usual', HOLD: 'Hold for review', BLOCK: 'Refuse' } as const;
const options = reviewModes.map((value) => ({ value, label: words[value] }));

interface EnteredRules {
  selfReferral?: ReviewMode | undefined;
  sameDomain?: ReviewMode | undefined;
  burst?: ReviewMode | undefined;
  burstSales?: number | undefined;
  refundRate?: ReviewMode | undefined;
  refundPercent?: number | undefined;
}

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

const RulesOfEmails = ({ rules, filled }: { rules: ReviewRules; filled: Filled }) => (
  <>
    <Select
      name="selfReferral"
      label="The affiliate is the customer"
      hint="By email. Dots, and what follows a plus, do not count."
      options={options}
      chosen={rules.selfReferral}
      filled={filled}
    />
    <Select
      name="sameDomain"
      label="The customer works with the affiliate"
      hint="Both emails are of one company. Providers such as Gmail do not count."
      options={options}
      chosen={rules.sameDomain}
      filled={filled}
    />
  </>
);

const RulesOfFigures = ({ rules: { burst, refundRate }, filled }: { rules: ReviewRules; filled: Filled }) => (
  <>
    <Select
      name="burst"
      label="Many sales at once"
      hint="Of one affiliate within an hour"
      options={options}
      chosen={burst.mode}
      filled={filled}
    />
    <Field
      name="burstSales"
      label="From how many sales on"
      initial={String(burst.sales)}
      filled={filled}
      required
      inputMode="numeric"
    />
    <Select
      name="refundRate"
      label="Many refunds"
      hint={`Of what one affiliate sold in 30 days, from ${minSalesOfRefundRate} sales on`}
      options={options}
      chosen={refundRate.mode}
      filled={filled}
    />
    <Field
      name="refundPercent"
      label="From which share on"
      initial={String(refundRate.percent)}
      filled={filled}
      required
      inputMode="numeric"
      unit="%"
    />
  </>
);

export const ReviewFields = ({ program, filled }: { program: StoredProgram; filled: Filled }) => {
  const rules = reviewRulesOf(program);
  return (
    <fieldset class="wide">
      <legend>Sales to review</legend>
      <p class="hint">
        A sale that is held is recorded, and its commission is not paid until someone approves it, on the page Sales,
        Review. A refused sale is not recorded.
      </p>
      <div class="fields">
        <RulesOfEmails rules={rules} filled={filled} />
        <RulesOfFigures rules={rules} filled={filled} />
      </div>
    </fieldset>
  );
};
