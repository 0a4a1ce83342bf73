import type { ComponentChildren } from 'preact';
import { tierPeriods } from '../../contract/group-rules.ts';
import { ruleRows } from '../../contract/pages/groups.ts';
import type { Group } from '../../domain/groups/rules.ts';
import { decimalText } from '../../platform/money/money.ts';
import { Field, type Filled, optionsOf, Select } from '../components/controls.tsx';

const emptyRows = 2;

const periodWords = { ALL_TIME: 'Of all time', MONTH: 'In the month of the sale' } as const;

const decimal = (minor: number | null | undefined, currency: string): string =>
  minor == null ? '' : decimalText(minor, currency);

/** As many rows as a refused form had, or as the group has, with some empty ones. */
const numberOfRows = (list: keyof typeof ruleRows, stored: number, { values }: Filled): number => {
  const entered = Object.entries(values).flatMap(([name, value]) => {
    const [ofList, at] = name.split('.');
    return ofList === list && value.trim() !== '' ? [Number(at) + 1] : [];
  });
  return Math.min(ruleRows[list].count, Math.max(stored + emptyRows, ...entered));
};

interface RowsProps {
  group: Group | undefined;
  currency: string;
  filled: Filled;
}

const Earning = (props: {
  name: string;
  rule: { rate: number | null; amountMinor: number | null } | undefined;
  currency: string;
  filled: Filled;
}) => {
  const { name, rule, currency, filled } = props;
  return (
    <>
      <Field
        name={`${name}.rate`}
        label="Percent of each sale"
        initial={String(rule?.rate ?? '')}
        filled={filled}
        inputMode="decimal"
        unit="%"
      />
      <Field
        name={`${name}.amount`}
        label="Or an amount per sale"
        initial={decimal(rule?.amountMinor, currency)}
        filled={filled}
        inputMode="decimal"
        unit={currency}
      />
    </>
  );
};

const Rows = (props: { heading: string; hint: string; isOpen: boolean; children: ComponentChildren }) => (
  <details class="more wide" open={props.isOpen}>
    <summary>{props.heading}</summary>
    <p class="hint">{props.hint}</p>
    {props.children}
  </details>
);

const isInUse = (list: string, stored: number, filled: Filled): boolean =>
  stored > 0 ||
  Object.entries(filled.values).some(
    ([name, value]) => name.startsWith(`${list}.`) && value && !name.endsWith('.period'),
  );

/** What sales of some products earn: one fieldset for each rule. */
export const ProductRuleRows = ({ group, currency, filled }: RowsProps) => {
  const rules = group?.productRules ?? [];
  return (
    <Rows
      heading="Other commissions for some products"
      hint="To remove one, empty its fields. More empty ones appear after you save."
      isOpen={isInUse('productRules', rules.length, filled)}
    >
      {Array.from({ length: numberOfRows('productRules', rules.length, filled) }, (_, at) => (
        <fieldset key={String(at)} class="rule">
          <legend>Products {at + 1}</legend>
          <div class="fields">
            <Field
              name={`productRules.${at}.productIds`}
              label="Product IDs"
              hint="As your shop names them, one per line"
              initial={rules[at]?.productIds.join('\n') ?? ''}
              filled={filled}
              lines={2}
            />
            <Earning name={`productRules.${at}`} rule={rules[at]} currency={currency} filled={filled} />
          </div>
        </fieldset>
      ))}
    </Rows>
  );
};

/** What affiliates earn from a revenue or a number of sales on. */
export const TierRows = ({ group, currency, filled }: RowsProps) => {
  const tiers = group?.tiers ?? [];
  return (
    <Rows
      heading="Higher commissions for successful affiliates"
      hint="Each begins at a revenue or at a number of sales of the affiliate. To remove one, empty its fields."
      isOpen={isInUse('tiers', tiers.length, filled)}
    >
      {Array.from({ length: numberOfRows('tiers', tiers.length, filled) }, (_, at) => (
        <fieldset key={String(at)} class="rule">
          <legend>Tier {at + 1}</legend>
          <div class="fields">
            <Field
              name={`tiers.${at}.minimumRevenue`}
              label="From this revenue on"
              initial={decimal(tiers[at]?.minimumRevenueMinor, currency)}
              filled={filled}
              inputMode="decimal"
              unit={currency}
            />
            <Field
              name={`tiers.${at}.minimumSales`}
              label="Or from this number of sales on"
              initial={String(tiers[at]?.minimumSales ?? '')}
              filled={filled}
              inputMode="numeric"
            />
            <Earning name={`tiers.${at}`} rule={tiers[at]} currency={currency} filled={filled} />
            <Select
              name={`tiers.${at}.period`}
              label="Counted"
              options={optionsOf(tierPeriods, periodWords)}
              chosen={tiers[at]?.period ?? 'ALL_TIME'}
              filled={filled}
            />
          </div>
        </fieldset>
      ))}
    </Rows>
  );
};
