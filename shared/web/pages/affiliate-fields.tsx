import type * as z from 'zod';
import type { Affiliate } from '../../contract/affiliates.ts';
import type { affiliatePages } from '../../contract/pages/affiliates.ts';
import { paymentMethods, paymentMethodWords } from '../../contract/payment-methods.ts';
import type { StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { AffiliateWithTotals } from '../../domain/affiliates/totals.ts';
import { type Group, groupOf, type StoredGroups } from '../../domain/groups/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { decimalText } from '../../platform/money/money.ts';
import { Field, type Filled, optionsOf, Select } from '../components/controls.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Time } from '../components/time.tsx';
import { type ControlsOf, rare } from '../forms/form-controls.tsx';
import type { CsvColumn } from '../lists/csv-download.ts';
import { type ColumnsOf, csvColumns, type DetailsOf, leftOut, metadataEntries } from '../lists/record-fields.ts';
import { GroupSelect, rateOf } from './group-words.tsx';

const inTitle = leftOut('It is the heading of the page');
const asFigure = leftOut('It is one of the figures at the top');

export const affiliateDetails = (affiliate: StoredAffiliate, group: Group): DetailsOf<z.output<typeof Affiliate>> => ({
  firstName: inTitle,
  lastName: inTitle,
  name: inTitle,
  status: leftOut('It is beside the heading'),
  programId: leftOut('A page is of one program'),
  source: leftOut('People see no difference'),
  application: leftOut('It has a section of its own'),
  updatedAt: leftOut('It tells people nothing'),
  affiliateLinks: leftOut('They are a table of their own'),
  numberOfReferredUsers: asFigure,
  totalRevenue: asFigure,
  totalCommissionEarned: asFigure,
  totalCommissionPaid: asFigure,
  numberOfClicks: asFigure,
  email: ['Email', affiliate.email],
  groupId: ['Group', group.name],
  commissionRate: [
    'Rate',
    rateOf(affiliate, group),
    affiliate.commissionRate === null && (group.isDefault ? 'The program’s rate' : 'Of the group'),
  ],
  paymentMethod: ['Payment method', affiliate.paymentMethod && paymentMethodWords[affiliate.paymentMethod]],
  payoutEmail: ['Payout email', affiliate.payoutEmail],
  externalId: [
    'External ID',
    affiliate.externalId && <Copyable key="external" text={affiliate.externalId} label="the external ID" />,
  ],
  id: ['ID', <Copyable key="id" text={affiliate.id} label="the ID" />],
  createdAt: ['Joined', <Time key="joined" at={affiliate.createdAt} to="day" />],
  metadata: metadataEntries(affiliate.metadata),
});

const columnsOf = (
  program: StoredProgram,
  groups: StoredGroups,
): ColumnsOf<z.output<typeof Affiliate>, AffiliateWithTotals, 'group' | 'links' | 'currency' | 'appliedAt'> => {
  const { currency } = program;
  const group = (one: AffiliateWithTotals) => groupOf(one, groups, program);
  const amount = (minor: number | bigint) => decimalText(String(minor), currency);
  return {
    id: ({ id }) => id,
    firstName: ({ firstName }) => firstName,
    lastName: ({ lastName }) => lastName,
    name: leftOut('It is firstName and lastName'),
    email: ({ email }) => email,
    status: ({ status }) => status,
    commissionRate: (one) => one.commissionRate ?? group(one).commissionRate ?? 0,
    groupId: (one) => group(one).id,
    group: (one) => group(one).name,
    payoutEmail: ({ payoutEmail }) => payoutEmail,
    paymentMethod: ({ paymentMethod }) => paymentMethod,
    externalId: ({ externalId }) => externalId,
    affiliateLinks: leftOut('Their slugs are the column links'),
    links: ({ links }) =>
      Object.values(links)
        .map(({ link }) => link)
        .join(' '),
    currency: () => currency,
    numberOfReferredUsers: (one) => one.numberOfReferredUsers,
    numberOfClicks: ({ numberOfClicks }) => numberOfClicks,
    totalRevenue: (one) => amount(one.totalRevenueMinor),
    totalCommissionEarned: (one) => amount(one.totalCommissionEarnedMinor),
    totalCommissionPaid: (one) => amount(one.totalCommissionPaidMinor),
    createdAt: ({ createdAt }) => createdAt,
    updatedAt: leftOut('It tells people nothing'),
    programId: leftOut('A file is of one program'),
    source: leftOut('People see no difference'),
    application: ({ application }) => application?.status ?? null,
    appliedAt: ({ application }) => application?.appliedAt ?? null,
    metadata: leftOut('Each record has names of its own'),
  };
};

export const affiliateCsvColumns = (program: StoredProgram, groups: StoredGroups): CsvColumn<AffiliateWithTotals>[] =>
  csvColumns(columnsOf(program, groups));

export const paymentMethodOptions = [{ value: '', label: 'Not set' }, ...optionsOf(paymentMethods, paymentMethodWords)];

const rareControls = (one: StoredAffiliate | undefined, filled: Filled) => ({
  payoutEmail: rare(
    <Field
      name="payoutEmail"
      label="Payout email"
      hint="If different from the email above"
      initial={one?.payoutEmail ?? ''}
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
      initial={one?.externalId ?? ''}
      filled={filled}
      maxLength={255}
    />,
  ),
});

/** The groups of the program, and the one that the affiliate is in. */
interface GroupChoice {
  all: readonly Group[];
  chosen?: Group;
}

export const affiliateControls = (
  { all, chosen }: GroupChoice,
  one: StoredAffiliate | undefined,
  filled: Filled,
): ControlsOf<typeof affiliatePages, 'editAffiliate'> => ({
  firstName: (
    <Field
      name="firstName"
      label="First name"
      initial={one?.firstName ?? ''}
      filled={filled}
      required
      maxLength={100}
    />
  ),
  lastName: <Field name="lastName" label="Last name" initial={one?.lastName ?? ''} filled={filled} maxLength={100} />,
  email: (
    <Field
      name="email"
      label="Email"
      initial={one?.email ?? ''}
      filled={filled}
      required
      maxLength={254}
      inputMode="email"
    />
  ),
  groupId: <GroupSelect groups={all} chosen={chosen} filled={filled} />,
  commissionRate: (
    <Field
      name="commissionRate"
      label="Commission rate"
      hint="Leave empty for what the group earns"
      initial={String(one?.commissionRate ?? '')}
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
      chosen={one?.paymentMethod ?? ''}
      filled={filled}
    />
  ),
  ...rareControls(one, filled),
});

export const newAffiliateControls = (
  all: readonly Group[],
  filled: Filled,
): ControlsOf<typeof affiliatePages, 'addAffiliate'> => ({
  ...affiliateControls({ all }, undefined, filled),
  affiliateLink: rare(
    <Field
      name="affiliateLink"
      label="Link"
      hint="Leave empty to make one from the name"
      filled={filled}
      maxLength={100}
    />,
  ),
});
