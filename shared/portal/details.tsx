import type { portalPages } from '../contract/pages/portal.ts';
import type { StoredAffiliate } from '../domain/affiliates/rules.ts';
import type { StoredProgram } from '../domain/programs/repository.ts';
import { Facts, FormCard } from '../web/components/blocks.tsx';
import { Field, type Filled, Select } from '../web/components/controls.tsx';
import { Time } from '../web/components/time.tsx';
import { type ControlsOf, FormControls } from '../web/forms/form-controls.tsx';
import { paymentMethodOptions } from '../web/pages/affiliate-fields.tsx';
import { type View, view } from '../web/responses.ts';
import type { PortalSession } from '../web/session/portal-session.ts';
import { sectionPath } from './paths.ts';

const payoutControls = (
  { paymentMethod, payoutEmail, email }: StoredAffiliate,
  filled: Filled,
): ControlsOf<typeof portalPages, 'changePayoutDetails'> => ({
  paymentMethod: (
    <Select
      name="paymentMethod"
      label="Payment method"
      options={paymentMethodOptions}
      chosen={paymentMethod ?? ''}
      filled={filled}
    />
  ),
  payoutEmail: (
    <Field
      name="payoutEmail"
      label="Payout email"
      hint={`The address of your account with the payment service; ${email} if empty`}
      initial={payoutEmail ?? ''}
      filled={filled}
      maxLength={254}
      inputMode="email"
    />
  ),
});

export const payoutDetailsView = (
  session: PortalSession,
  program: StoredProgram,
  affiliate: StoredAffiliate,
  filled: Filled,
): View => {
  const path = sectionPath(program, 'payout-details');
  return view(
    'Payout details',
    <FormCard session={session} action={path} button="Save" back={sectionPath(program, 'payouts')} filled={filled}>
      <FormControls controls={payoutControls(affiliate, filled)} filled={filled} />
    </FormCard>,
    { lead: 'How and where you are paid. Payouts that are paid already stay as they are.' },
  );
};

const profileControls = (
  { firstName, lastName }: StoredAffiliate,
  filled: Filled,
): ControlsOf<typeof portalPages, 'changePortalProfile'> => ({
  firstName: <Field name="firstName" label="First name" initial={firstName} filled={filled} required maxLength={100} />,
  lastName: <Field name="lastName" label="Last name" initial={lastName} filled={filled} maxLength={100} />,
});

export const profileView = (
  session: PortalSession,
  program: StoredProgram,
  affiliate: StoredAffiliate,
  filled: Filled,
): View => {
  const path = sectionPath(program, 'profile');
  return view(
    'Profile',
    <>
      <FormCard session={session} action={path} button="Save" back={sectionPath(program, 'overview')} filled={filled}>
        <FormControls controls={profileControls(affiliate, filled)} filled={filled} />
      </FormCard>
      <Facts
        entries={[
          ['Email', affiliate.email, 'To change it, write to the program'],
          ['Affiliate since', <Time key="since" at={affiliate.createdAt} to="day" />],
        ]}
      />
    </>,
  );
};
