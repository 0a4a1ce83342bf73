import type * as z from 'zod';
import type { referralPages } from '../../contract/pages/referrals.ts';
import { type Referral, subscriptionStatuses } from '../../contract/referrals.ts';
import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { StoredReferral } from '../../domain/referrals/rules.ts';
import { decimalText } from '../../platform/money/money.ts';
import { Field, type Filled, optionsOf, Select } from '../components/controls.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Time } from '../components/time.tsx';
import { type AffiliateChoice, AffiliateField, withAffiliateEmail } from '../forms/affiliate-choice.tsx';
import { type ControlsOf, rare } from '../forms/form-controls.tsx';
import type { CsvColumn } from '../lists/csv-download.ts';
import { type ColumnsOf, csvColumns, type DetailsOf, leftOut, metadataEntries } from '../lists/record-fields.ts';
import { affiliatePath } from './affiliates.tsx';
import { attributionEntry } from './attribution.tsx';
import { type ReferralWithAffiliate, statusWords } from './referrals.tsx';

const asFigure = leftOut('It is one of the figures at the top');

export const referralDetails = (
  programId: string,
  referral: StoredReferral,
  affiliate: StoredAffiliate | undefined,
): DetailsOf<z.output<typeof Referral>> => ({
  name: leftOut('It is the heading of the page'),
  subscriptionStatus: leftOut('It is beside the heading'),
  email: ['Email', referral.email],
  affiliateId: ['Affiliate', affiliate && <a href={affiliatePath(programId, affiliate.id)}>{fullName(affiliate)}</a>],
  attribution: attributionEntry(referral.attribution),
  plan: ['Plan', referral.plan],
  referredUserExternalId: ['External ID', referral.referredUserExternalId],
  notes: ['Notes', referral.notes],
  id: ['ID', <Copyable key="id" text={referral.id} label="the ID" />],
  createdAt: ['Created', <Time key="created" at={referral.createdAt} />],
  metadata: metadataEntries(referral.metadata),
  totalRevenue: asFigure,
  totalCommission: asFigure,
  affiliateLinkId: leftOut('The affiliate is linked, whose page has the links'),
  referralMedium: leftOut('The attribution says more'),
  affiliateProgramId: leftOut('A page is of one program'),
  source: leftOut('People see no difference'),
  updatedAt: leftOut('It tells people nothing'),
});

const columnsOf = ({
  currency,
}: StoredProgram): ColumnsOf<z.output<typeof Referral>, ReferralWithAffiliate, 'affiliateEmail' | 'currency'> => ({
  id: ({ referral }) => referral.id,
  name: ({ referral }) => referral.name,
  email: ({ referral }) => referral.email,
  affiliateId: ({ referral }) => referral.affiliateId,
  affiliateEmail: ({ affiliate }) => affiliate?.email ?? null,
  subscriptionStatus: ({ referral }) => referral.subscriptionStatus,
  plan: ({ referral }) => referral.plan,
  currency: () => currency,
  totalRevenue: ({ referral }) => decimalText(String(referral.totalRevenueMinor), currency),
  totalCommission: ({ referral }) => decimalText(String(referral.totalCommissionMinor), currency),
  referredUserExternalId: ({ referral }) => referral.referredUserExternalId,
  attribution: ({ referral }) => referral.attribution?.via ?? null,
  notes: ({ referral }) => referral.notes,
  createdAt: ({ referral }) => referral.createdAt,
  affiliateProgramId: leftOut('A file is of one program'),
  affiliateLinkId: leftOut('Few referrals have one'),
  referralMedium: leftOut('The attribution says more'),
  updatedAt: leftOut('It tells people nothing'),
  source: leftOut('People see no difference'),
  metadata: leftOut('Each record has names of its own'),
});

export const referralCsvColumns = (program: StoredProgram): CsvColumn<ReferralWithAffiliate>[] =>
  csvColumns(columnsOf(program));

const commonControls = (referral: StoredReferral | undefined, filled: Filled) => ({
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

export const newReferralControls = (
  program: StoredProgram,
  choice: AffiliateChoice,
  filled: Filled,
): ControlsOf<typeof referralPages, 'addReferral'> => ({
  ...commonControls(undefined, filled),
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
});

export const referralControls = (
  referral: StoredReferral,
  filled: Filled,
): ControlsOf<typeof referralPages, 'editReferral'> => ({
  ...commonControls(referral, filled),
  subscriptionStatus: (
    <Select
      name="subscriptionStatus"
      label="Status"
      hint="Sales are credited only while this is Active"
      options={optionsOf(subscriptionStatuses, statusWords)}
      chosen={referral.subscriptionStatus}
      filled={filled}
    />
  ),
  notes: <Field name="notes" label="Notes" initial={referral.notes ?? ''} filled={filled} lines={4} maxLength={5000} />,
});
