import type * as z from 'zod';
import { commissionTypes } from '../../contract/group-rules.ts';
import type { Group as GroupResponse } from '../../contract/groups.ts';
import type { groupPages } from '../../contract/pages/groups.ts';
import type { Group } from '../../domain/groups/rules.ts';
import { decimalText } from '../../platform/money/money.ts';
import { Field, type Filled, optionsOf, Select } from '../components/controls.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Money, moneyText } from '../components/money.tsx';
import { Time } from '../components/time.tsx';
import { type ControlsOf, elsewhere } from '../forms/form-controls.tsx';
import type { CsvColumn } from '../lists/csv-download.ts';
import { type ColumnsOf, csvColumns, type DetailsOf, leftOut } from '../lists/record-fields.ts';
import { baseText, daysText, earningText, monthsText } from './group-words.tsx';

const inCommission = leftOut('The commission says it');
const inTable = leftOut('They are a table of their own');

export const groupDetails = (group: Group): DetailsOf<z.output<typeof GroupResponse>, 'commission'> => ({
  name: leftOut('It is the heading of the page'),
  isDefault: leftOut('It is beside the heading'),
  programId: leftOut('A page is of one program'),
  updatedAt: leftOut('It tells people nothing'),
  commissionType: inCommission,
  commissionRate: inCommission,
  commissionAmount: inCommission,
  productRules: inTable,
  tiers: inTable,
  commission: ['Commission', baseText(group), group.isDefault && 'The program’s rate, from its settings'],
  commissionMonths: ['Earned', monthsText(group.commissionMonths), 'From the first sale of a customer on'],
  holdDays: ['On hold', group.holdDays > 0 && daysText(group.holdDays), 'Before a commission can be paid'],
  minimumPayout: [
    'Smallest payout',
    group.minimumPayoutMinor !== null && (
      <Money key="minimum" minor={group.minimumPayoutMinor} currency={group.currency} />
    ),
  ],
  id: ['ID', <Copyable key="id" text={group.id} label="the ID" />],
  createdAt: ['Created', <Time key="created" at={group.createdAt} to="day" />],
});

const amount = (minor: number | null, currency: string): string | null =>
  minor === null ? null : decimalText(minor, currency);

const columns: ColumnsOf<z.output<typeof GroupResponse>, Group, 'currency'> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  isDefault: ({ isDefault }) => String(isDefault),
  commissionType: ({ commissionType }) => commissionType,
  commissionRate: ({ commissionRate }) => commissionRate,
  commissionAmount: (group) => amount(group.commissionAmountMinor, group.currency),
  currency: ({ currency }) => currency,
  commissionMonths: ({ commissionMonths }) => commissionMonths,
  productRules: ({ productRules, currency }) =>
    productRules.map((rule) => `${rule.productIds.join(' ')}: ${earningText(rule, currency)}`).join('; '),
  tiers: ({ tiers, currency }) =>
    tiers.map((tier) => `${minimumText(tier, currency)}: ${earningText(tier, currency)}`).join('; '),
  holdDays: ({ holdDays }) => holdDays,
  minimumPayout: (group) => amount(group.minimumPayoutMinor, group.currency),
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: leftOut('It tells people nothing'),
  programId: leftOut('A file is of one program'),
};

export const groupCsvColumns: CsvColumn<Group>[] = csvColumns(columns);

/** Where a tier begins, such as `From $10,000.00 of revenue a month on`. */
export const minimumText = (
  { minimumRevenueMinor, minimumSales, period }: Group['tiers'][number],
  currency: string,
): string => {
  const minimum =
    minimumRevenueMinor === null ? `${minimumSales} sales` : `${moneyText(minimumRevenueMinor, currency)} of revenue`;
  return `From ${minimum}${period === 'MONTH' ? ' a month' : ''} on`;
};

const typeWords = { PERCENTAGE: 'A percentage of each sale', FLAT: 'An amount for each sale' } as const;

const ofProgram = elsewhere('The default group pays the rate of the program, which its settings have');

const commissionControls = (group: Group | undefined, currency: string, filled: Filled) => {
  if (group?.isDefault) return { commissionType: ofProgram, commissionRate: ofProgram, commissionAmount: ofProgram };
  return {
    commissionType: (
      <Select
        name="commissionType"
        label="Affiliates earn"
        options={optionsOf(commissionTypes, typeWords)}
        chosen={group?.commissionType ?? 'PERCENTAGE'}
        filled={filled}
      />
    ),
    commissionRate: (
      <div class="if-percentage">
        <Field
          name="commissionRate"
          label="Rate"
          initial={String(group?.commissionRate ?? '')}
          filled={filled}
          inputMode="decimal"
          unit="%"
        />
      </div>
    ),
    commissionAmount: (
      <div class="if-flat">
        <Field
          name="commissionAmount"
          label="Amount"
          initial={amount(group?.commissionAmountMinor ?? null, currency) ?? ''}
          filled={filled}
          inputMode="decimal"
          unit={currency}
        />
      </div>
    ),
  };
};

/** The rows of rules stand below these. */
export const groupControls = (
  group: Group | undefined,
  currency: string,
  filled: Filled,
): ControlsOf<typeof groupPages, 'addGroup'> & ControlsOf<typeof groupPages, 'editGroup'> => ({
  name: (
    <Field
      name="name"
      label="Name"
      hint="Such as Partners"
      initial={group?.name ?? ''}
      filled={filled}
      required
      maxLength={100}
      isWide
    />
  ),
  ...commissionControls(group, currency, filled),
  commissionMonths: (
    <Field
      name="commissionMonths"
      label="Months"
      hint="From the first sale of a customer on. Leave empty for ever."
      initial={String(group?.commissionMonths ?? '')}
      filled={filled}
      inputMode="numeric"
    />
  ),
  holdDays: (
    <Field
      name="holdDays"
      label="Days on hold"
      hint="Up to 90, before a commission can be paid"
      initial={String(group?.holdDays || '')}
      filled={filled}
      inputMode="numeric"
    />
  ),
  minimumPayout: (
    <Field
      name="minimumPayout"
      label="Smallest payout"
      hint="What is below waits for a later payout"
      initial={amount(group?.minimumPayoutMinor ?? null, currency) ?? ''}
      filled={filled}
      inputMode="decimal"
      unit={currency}
    />
  ),
});
