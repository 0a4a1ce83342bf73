import { subscriptionStatuses } from '../../contract/referrals.ts';
import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { StoredReferral } from '../../domain/referrals/rules.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import { EditAndDelete, type Entry, Facts, Figures, FormCard } from '../components/blocks.tsx';
import { Confirmation, Field, type Filled, MoreFields, Select } from '../components/controls.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Money } from '../components/money.tsx';
import { Time } from '../components/time.tsx';
import { type AffiliateChoice, AffiliateField } from '../forms/affiliate-choice.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { affiliatePath } from './affiliates.tsx';
import { ReferralState, referralPath, referralsPath, statusWords } from './referrals.tsx';
import { NewestSales } from './sales.tsx';

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
      <Facts
        entries={[
          ['Email', referral.email],
          ['Affiliate', affiliate && <a href={affiliatePath(programId, affiliate.id)}>{fullName(affiliate)}</a>],
          ['Plan', referral.plan],
          ['External ID', referral.referredUserExternalId],
          ['Notes', referral.notes],
          ['ID', <Copyable key="id" text={referral.id} label="the ID" />],
          ['Created', <Time key="created" at={referral.createdAt} />],
          ...Object.entries(referral.metadata).map(([name, value]): Entry => [name, String(value)]),
        ]}
      />
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

const PersonFields = ({ referral, filled }: { referral?: StoredReferral; filled: Filled }) => (
  <>
    <Field name="name" label="Name" initial={referral?.name ?? ''} filled={filled} required maxLength={200} />
    <Field
      name="email"
      label="Email"
      initial={referral?.email ?? ''}
      filled={filled}
      required
      maxLength={254}
      inputMode="email"
    />
  </>
);

const RareFields = ({ referral, filled }: { referral?: StoredReferral; filled: Filled }) => (
  <MoreFields
    names={['plan', 'referredUserExternalId']}
    filled={filled}
    isOpen={Boolean(referral?.plan || referral?.referredUserExternalId)}
  >
    <Field name="plan" label="Plan" initial={referral?.plan ?? ''} filled={filled} maxLength={200} />
    <Field
      name="referredUserExternalId"
      label="External ID"
      hint="Your own ID for this person"
      initial={referral?.referredUserExternalId ?? ''}
      filled={filled}
      maxLength={255}
    />
  </MoreFields>
);

export const newReferralView = ({ session, program }: Place, choice: AffiliateChoice, filled: Filled): View =>
  view(
    'New referral',
    <FormCard
      session={session}
      action={`${referralsPath(program.id)}/new`}
      button="Create referral"
      back={referralsPath(program.id)}
      filled={filled}
    >
      <PersonFields filled={filled} />
      <AffiliateField
        programId={program.id}
        hint="Who referred this person: any part of the name, or the email"
        choice={choice}
        filled={filled}
      />
      <Field name="promoCode" label="Or a code" hint="The code that this person used" filled={filled} maxLength={100} />
      <RareFields filled={filled} />
    </FormCard>,
  );

const statusOptions = subscriptionStatuses.map((value) => ({ value, label: statusWords[value] }));

export const referralEditView = ({ session, program }: Place, referral: StoredReferral, filled: Filled): View => {
  const path = referralPath(program.id, referral.id);
  return view(
    `Edit ${referral.name}`,
    <FormCard session={session} action={`${path}/edit`} button="Save" back={path} filled={filled}>
      <PersonFields referral={referral} filled={filled} />
      <Select
        name="subscriptionStatus"
        label="Status"
        hint="Sales are credited only while this is Active"
        options={statusOptions}
        chosen={referral.subscriptionStatus}
        filled={filled}
      />
      <Field name="notes" label="Notes" initial={referral.notes ?? ''} filled={filled} lines={4} maxLength={5000} />
      <RareFields referral={referral} filled={filled} />
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
