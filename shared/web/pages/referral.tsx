import type * as z from 'zod';
import type { referralPages } from '../../contract/pages/referrals.ts';
import { type Referral, subscriptionStatuses } from '../../contract/referrals.ts';
import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { StoredReferral } from '../../domain/referrals/rules.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import { EditAndDelete, Facts, Figures, FormCard } from '../components/blocks.tsx';
import { Confirmation, Field, type Filled, Select } from '../components/controls.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Money } from '../components/money.tsx';
import { Time } from '../components/time.tsx';
import { type AffiliateChoice, AffiliateField, withAffiliateEmail } from '../forms/affiliate-choice.tsx';
import { type ControlsOf, FormControls, rare } from '../forms/form-controls.tsx';
import { type DetailsOf, detailEntries, leftOut, metadataEntries } from '../lists/record-fields.ts';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { affiliatePath } from './affiliates.tsx';
import { ReferralState, referralPath, referralsPath, statusWords } from './referrals.tsx';
import { NewestSales } from './sales.tsx';

const asFigure = leftOut('It is one of the figures at the top');

const detailsOf = (
  programId: string,
  referral: StoredReferral,
  affiliate: StoredAffiliate | undefined,
): DetailsOf<z.output<typeof Referral>> => ({
  name: leftOut('It is the heading of the page'),
  subscriptionStatus: leftOut('It is beside the heading'),
  email: ['Email', referral.email],
  affiliateId: ['Affiliate', affiliate && <a href={affiliatePath(programId, affiliate.id)}>{fullName(affiliate)}</a>],
  plan: ['Plan', referral.plan],
  referredUserExternalId: ['External ID', referral.referredUserExternalId],
  notes: ['Notes', referral.notes],
  id: ['ID', <Copyable key="id" text={referral.id} label="the ID" />],
  createdAt: ['Created', <Time key="created" at={referral.createdAt} />],
  metadata: metadataEntries(referral.metadata),
  totalRevenue: asFigure,
  totalCommission: asFigure,
  affiliateLinkId: leftOut('The affiliate is linked, whose page has the links'),
  referralMedium: leftOut('Nothing sets it yet'),
  affiliateProgramId: leftOut('A page is of one program'),
  source: leftOut('People see no difference'),
  updatedAt: leftOut('It tells people nothing'),
});

/** One referred person with their newest sales. */
export const referralView = (
  program: StoredProgram,
  referral: StoredReferral,
  affiliate: StoredAffiliate | undefined,
  sales: readonly StoredSale[],
): View => {
  const { id: programId, currency } = program;
  const path = referralPath(programId, referral.id);
  return view(
    referral.name,
    <>
      <Figures
        entries={[
          ['Revenue', <Money key="revenue" minor={referral.totalRevenueMinor} currency={currency} />],
          ['Commission', <Money key="commission" minor={referral.totalCommissionMinor} currency={currency} />],
        ]}
      />
      <Facts entries={detailEntries(detailsOf(programId, referral, affiliate))} />
      <NewestSales program={program} sales={sales} empty="No sales yet." />
    </>,
    {
      beside: <ReferralState status={referral.subscriptionStatus} />,
      actions: <EditAndDelete path={path} />,
    },
  );
};

interface Place {
  session: Session;
  program: StoredProgram;
}

/** What a new referral and a known one have in common. */
const controlsOf = (referral: StoredReferral | undefined, filled: Filled) => ({
  name: <Field name="name" label="Name" initial={referral?.name ?? ''} filled={filled} required maxLength={200} />,
  email: (
    <Field
      name="email"
      label="Email"
      initial={referral?.email ?? ''}
      filled={filled}
      required
      maxLength={254}
      inputMode="email"
    />
  ),
  plan: rare(<Field name="plan" label="Plan" initial={referral?.plan ?? ''} filled={filled} maxLength={200} />),
  referredUserExternalId: rare(
    <Field
      name="referredUserExternalId"
      label="External ID"
      hint="Your own ID for this person"
      initial={referral?.referredUserExternalId ?? ''}
      filled={filled}
      maxLength={255}
    />,
  ),
});

export const newReferralView = ({ session, program }: Place, choice: AffiliateChoice, filled: Filled): View => {
  const controls: ControlsOf<typeof referralPages, 'addReferral'> = {
    ...controlsOf(undefined, filled),
    affiliateEmail: (
      <AffiliateField
        programId={program.id}
        hint="Who referred this person: any part of the name, or the email"
        choice={choice}
        filled={filled}
      />
    ),
    chosenAffiliate: withAffiliateEmail,
    promoCode: (
      <Field name="promoCode" label="Or a code" hint="The code that this person used" filled={filled} maxLength={100} />
    ),
  };
  return view(
    'New referral',
    <FormCard
      session={session}
      action={`${referralsPath(program.id)}/new`}
      button="Create referral"
      back={referralsPath(program.id)}
      filled={filled}
    >
      <FormControls controls={controls} filled={filled} />
    </FormCard>,
  );
};

const statusOptions = subscriptionStatuses.map((value) => ({ value, label: statusWords[value] }));

export const referralEditView = ({ session, program }: Place, referral: StoredReferral, filled: Filled): View => {
  const path = referralPath(program.id, referral.id);
  const controls: ControlsOf<typeof referralPages, 'editReferral'> = {
    ...controlsOf(referral, filled),
    subscriptionStatus: (
      <Select
        name="subscriptionStatus"
        label="Status"
        hint="Sales are credited only while this is Active"
        options={statusOptions}
        chosen={referral.subscriptionStatus}
        filled={filled}
      />
    ),
    notes: (
      <Field name="notes" label="Notes" initial={referral.notes ?? ''} filled={filled} lines={4} maxLength={5000} />
    ),
  };
  return view(
    `Edit ${referral.name}`,
    <FormCard session={session} action={`${path}/edit`} button="Save" back={path} filled={filled}>
      <FormControls
        controls={controls}
        filled={filled}
        isOpen={Boolean(referral.plan || referral.referredUserExternalId)}
      />
    </FormCard>,
    { trail: [{ label: referral.name, path }] },
  );
};

export const referralDeletionView = ({ session, program }: Place, referral: StoredReferral, filled: Filled): View => {
  const path = referralPath(program.id, referral.id);
  return view(
    `Delete ${referral.name}?`,
    <Confirmation session={session} action={`${path}/delete`} button="Delete referral" back={path} filled={filled}>
      <p>This also deletes the person’s unpaid sales, and cannot be undone. Paid sales stay.</p>
    </Confirmation>,
    { trail: [{ label: referral.name, path }] },
  );
};
