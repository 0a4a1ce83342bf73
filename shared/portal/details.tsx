import type { portalPages } from '../contract/pages/portal.ts';
import { paymentMethodWords } from '../contract/payment-methods.ts';
import { fullName, type StoredAffiliate } from '../domain/affiliates/rules.ts';
import type { PayoutDetails } from '../domain/portal/payout-details.ts';
import { mailsKind } from '../domain/programs/mail-settings.ts';
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

const PayoutFacts = ({ details, email }: { details: PayoutDetails; email: string }) => (
  <Facts
    entries={[
      ['Payment method', details.paymentMethod ? paymentMethodWords[details.paymentMethod] : 'Not set'],
      ['Payout email', details.payoutEmail ?? email],
    ]}
  />
);

export const payoutDetailsView = (
  session: PortalSession,
  program: StoredProgram,
  affiliate: StoredAffiliate,
  filled: Filled,
): View => {
  const path = sectionPath(program, 'payout-details');
  if (!mailsKind(program, 'PAYOUT_DETAILS_CONFIRM'))
    return view(
      'Payout details',
      <>
        <PayoutFacts details={affiliate} email={affiliate.email} />
        <p class="hint">To change them, write to the program.</p>
      </>,
    );
  return view(
    'Payout details',
    <FormCard session={session} action={path} button="Save" back={sectionPath(program, 'payouts')} filled={filled}>
      <FormControls controls={payoutControls(affiliate, filled)} filled={filled} />
    </FormCard>,
    {
      lead: `How and where you are paid. To protect your money, a change takes effect once you confirm it by a mail to ${affiliate.email}.`,
    },
  );
};

/** What the link of a mail changes. */
export const newPayoutDetailsView = (
  program: StoredProgram,
  { affiliate, details, token }: { affiliate: StoredAffiliate; details: PayoutDetails; token: string },
): View =>
  view(
    'Confirm your payout details',
    <>
      <PayoutFacts details={details} email={affiliate.email} />
      <form class="form" method="post" action={`${sectionPath(program, 'payout-details')}/confirm`}>
        <input type="hidden" name="token" value={token} />
        <div class="form-actions">
          <button type="submit">Confirm</button>
        </div>
      </form>
    </>,
    { lead: `Payouts of ${program.name} to ${fullName(affiliate)} go there once you confirm.` },
  );

export const payoutDetailsConfirmedView = (program: StoredProgram): View =>
  view(
    'Your payout details have changed',
    <p>
      <a class="button" href={sectionPath(program, 'payout-details')}>
        Open the portal
      </a>
    </p>,
  );

export const badConfirmationView = (program: StoredProgram): View =>
  view(
    'This link does not work any more',
    <>
      <p>
        A link works once, for 24 hours, and until anything else about you is changed. Enter your payout details again.
      </p>
      <p>
        <a class="button" href={sectionPath(program, 'payout-details')}>
          Payout details
        </a>
      </p>
    </>,
    { status: 400 },
  );

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
