import { paymentMethods } from '../../contract/affiliates.ts';
import type { affiliatePages } from '../../contract/pages/affiliates.ts';
import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { FormCard } from '../components/blocks.tsx';
import { Confirmation, Field, type Filled, Select } from '../components/controls.tsx';
import { type ControlsOf, FormControls, rare } from '../forms/form-controls.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { affiliatePath, affiliatesPath } from './affiliates.tsx';
import { paymentMethodWords } from './payment-methods.tsx';

type Beginning = Pick<
  StoredAffiliate,
  'firstName' | 'lastName' | 'email' | 'commissionRate' | 'payoutEmail' | 'paymentMethod' | 'externalId'
>;

const nothingYet: Beginning = {
  firstName: '',
  lastName: '',
  email: '',
  commissionRate: null,
  payoutEmail: null,
  paymentMethod: null,
  externalId: null,
};

const paymentMethodOptions = [
  { value: '', label: 'Not set' },
  ...paymentMethods.map((value) => ({ value, label: paymentMethodWords[value] })),
];

const controlsOf = (
  { commissionRate: rateOfProgram }: StoredProgram,
  one: Beginning,
  filled: Filled,
): ControlsOf<typeof affiliatePages, 'editAffiliate'> => ({
  firstName: (
    <Field name="firstName" label="First name" initial={one.firstName} filled={filled} required maxLength={100} />
  ),
  lastName: <Field name="lastName" label="Last name" initial={one.lastName} filled={filled} maxLength={100} />,
  email: (
    <Field name="email" label="Email" initial={one.email} filled={filled} required maxLength={254} inputMode="email" />
  ),
  commissionRate: (
    <Field
      name="commissionRate"
      label="Commission rate"
      hint={`Leave empty for the program’s rate of ${rateOfProgram} %`}
      initial={String(one.commissionRate ?? '')}
      filled={filled}
      inputMode="decimal"
      unit="%"
    />
  ),
  paymentMethod: (
    <Select
      name="paymentMethod"
      label="Payment method"
      options={paymentMethodOptions}
      chosen={one.paymentMethod ?? ''}
      filled={filled}
    />
  ),
  payoutEmail: rare(
    <Field
      name="payoutEmail"
      label="Payout email"
      hint="If different from the email above"
      initial={one.payoutEmail ?? ''}
      filled={filled}
      maxLength={254}
      inputMode="email"
    />,
  ),
  externalId: rare(
    <Field
      name="externalId"
      label="External ID"
      hint="Your own ID for this affiliate"
      initial={one.externalId ?? ''}
      filled={filled}
      maxLength={255}
    />,
  ),
});

interface Place {
  session: Session;
  program: StoredProgram;
}

export const newAffiliateView = ({ session, program }: Place, filled: Filled): View => {
  const controls: ControlsOf<typeof affiliatePages, 'addAffiliate'> = {
    ...controlsOf(program, nothingYet, filled),
    affiliateLink: rare(
      <Field
        name="affiliateLink"
        label="Link"
        hint="Leave empty to make one from the name"
        filled={filled}
        maxLength={100}
      />,
    ),
  };
  return view(
    'New affiliate',
    <FormCard
      session={session}
      action={`${affiliatesPath(program.id)}/new`}
      button="Create affiliate"
      back={affiliatesPath(program.id)}
      filled={filled}
    >
      <FormControls controls={controls} filled={filled} />
    </FormCard>,
  );
};

const trailOf = (program: StoredProgram, affiliate: StoredAffiliate) => [
  { label: fullName(affiliate), path: affiliatePath(program.id, affiliate.id) },
];

export const affiliateEditView = ({ session, program }: Place, affiliate: StoredAffiliate, filled: Filled): View => {
  const path = affiliatePath(program.id, affiliate.id);
  return view(
    `Edit ${fullName(affiliate)}`,
    <FormCard session={session} action={`${path}/edit`} button="Save" back={path} filled={filled}>
      <FormControls
        controls={controlsOf(program, affiliate, filled)}
        filled={filled}
        isOpen={Boolean(affiliate.payoutEmail || affiliate.externalId)}
      />
    </FormCard>,
    { trail: trailOf(program, affiliate) },
  );
};

const questions = {
  active: {
    verb: 'Activate',
    isHarmless: true,
    consequence: 'New sales and referrals are credited to them, and their codes can be redeemed.',
  },
  inactive: {
    verb: 'Deactivate',
    isHarmless: true,
    consequence:
      'New sales and referrals are not credited to them until you approve them again. They keep what they have earned.',
  },
  banned: {
    verb: 'Ban',
    isHarmless: false,
    consequence:
      'New sales and referrals are not credited to them until you lift the ban. They keep what they have earned.',
  },
} as const;

/** Asks before an affiliate is activated, deactivated or banned. */
export const affiliateStatusView = (
  { session, program }: Place,
  affiliate: StoredAffiliate,
  status: keyof typeof questions,
): View => {
  const path = affiliatePath(program.id, affiliate.id);
  const { verb, isHarmless, consequence } = questions[status];
  return view(
    `${verb} ${fullName(affiliate)}?`,
    <Confirmation session={session} action={`${path}/status`} button={verb} back={path} isHarmless={isHarmless}>
      <input type="hidden" name="status" value={status} />
      <p>{consequence}</p>
    </Confirmation>,
    { trail: trailOf(program, affiliate) },
  );
};

export const affiliateDeletionView = (
  { session, program }: Place,
  affiliate: StoredAffiliate,
  filled: Filled,
): View => {
  const path = affiliatePath(program.id, affiliate.id);
  return view(
    `Delete ${fullName(affiliate)}?`,
    <Confirmation session={session} action={`${path}/delete`} button="Delete affiliate" back={path} filled={filled}>
      <p>
        This also deletes their links, referrals and unpaid sales, and cannot be undone. Paid sales stay, and their
        codes stay without an affiliate. To keep everything, deactivate the affiliate instead.
      </p>
    </Confirmation>,
    { trail: trailOf(program, affiliate) },
  );
};
