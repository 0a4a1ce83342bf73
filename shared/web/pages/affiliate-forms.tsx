import type { ComponentChildren } from 'preact';
import { paymentMethods } from '../../contract/affiliates.ts';
import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { FormCard } from '../components/blocks.tsx';
import { Confirmation, Field, type Filled, MoreFields, Select } from '../components/controls.tsx';
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

const AffiliateFields = ({ program, one, filled }: { program: StoredProgram; one: Beginning; filled: Filled }) => (
  <>
    <Field name="firstName" label="First name" initial={one.firstName} filled={filled} required maxLength={100} />
    <Field name="lastName" label="Last name" initial={one.lastName} filled={filled} maxLength={100} />
    <Field name="email" label="Email" initial={one.email} filled={filled} required maxLength={254} inputMode="email" />
    <Field
      name="commissionRate"
      label="Commission rate"
      hint={`Leave empty for the program’s rate of ${program.commissionRate} %`}
      initial={String(one.commissionRate ?? '')}
      filled={filled}
      inputMode="decimal"
      unit="%"
    />
    <Select
      name="paymentMethod"
      label="Payment method"
      options={paymentMethodOptions}
      chosen={one.paymentMethod ?? ''}
      filled={filled}
    />
  </>
);

const RareFields = ({ one, filled, children }: { one: Beginning; filled: Filled; children?: ComponentChildren }) => (
  <MoreFields
    names={['payoutEmail', 'externalId', 'affiliateLink']}
    filled={filled}
    isOpen={Boolean(one.payoutEmail || one.externalId)}
  >
    <Field
      name="payoutEmail"
      label="Payout email"
      hint="If different from the email above"
      initial={one.payoutEmail ?? ''}
      filled={filled}
      maxLength={254}
      inputMode="email"
    />
    <Field
      name="externalId"
      label="External ID"
      hint="Your own ID for this affiliate"
      initial={one.externalId ?? ''}
      filled={filled}
      maxLength={255}
    />
    {children}
  </MoreFields>
);

interface Place {
  session: Session;
  program: StoredProgram;
}

export const newAffiliateView = ({ session, program }: Place, filled: Filled): View =>
  view(
    'New affiliate',
    <FormCard
      session={session}
      action={`${affiliatesPath(program.id)}/new`}
      button="Create affiliate"
      back={affiliatesPath(program.id)}
      filled={filled}
    >
      <AffiliateFields program={program} one={nothingYet} filled={filled} />
      <RareFields one={nothingYet} filled={filled}>
        <Field
          name="affiliateLink"
          label="Link"
          hint="Leave empty to make one from the name"
          filled={filled}
          maxLength={100}
        />
      </RareFields>
    </FormCard>,
  );

const trailOf = (program: StoredProgram, affiliate: StoredAffiliate) => [
  { label: fullName(affiliate), path: affiliatePath(program.id, affiliate.id) },
];

export const affiliateEditView = ({ session, program }: Place, affiliate: StoredAffiliate, filled: Filled): View => {
  const path = affiliatePath(program.id, affiliate.id);
  return view(
    `Edit ${fullName(affiliate)}`,
    <FormCard session={session} action={`${path}/edit`} button="Save" back={path} filled={filled}>
      <AffiliateFields program={program} one={affiliate} filled={filled} />
      <RareFields one={affiliate} filled={filled} />
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
