import type { DayOfSales } from '../../domain/statistics/sales-by-day.ts';
import { fromMinor } from '../../platform/money/money.ts';
import { currentFormats } from '../components/formats.ts';
import { Money, moneyText } from '../components/money.tsx';
import { Table } from '../components/table.tsx';
import { type Bar, BarChart, nameOfBar } from './bar-chart.tsx';

const daysOfWeek = 7;
/** More would be too narrow to point at. */
const maxBars = 92;

interface Sums {
  count: number;
  codeCount: number;
  linkCount: number;
  clicks: number;
  referrals: number;
  revenueMinor: bigint;
  commissionMinor: bigint;
}

interface DayBar extends Bar, Sums {}

export const sumsOf = (days: readonly DayOfSales[]): Sums =>
  days.reduce<Sums>(
    (sums, day) => ({
      count: sums.count + day.count,
      codeCount: sums.codeCount + day.codeCount,
      linkCount: sums.linkCount + day.linkCount,
      clicks: sums.clicks + day.clicks,
      referrals: sums.referrals + day.referrals,
      revenueMinor: sums.revenueMinor + day.revenueMinor,
      commissionMinor: sums.commissionMinor + day.commissionMinor,
    }),
    { count: 0, codeCount: 0, linkCount: 0, clicks: 0, referrals: 0, revenueMinor: 0n, commissionMinor: 0n },
  );

/** Days, or weeks that end with the last day. */
const barsOf = (days: readonly DayOfSales[]): DayBar[] => {
  const length = days.length > maxBars ? daysOfWeek : 1;
  const bars: DayBar[] = [];
  for (let end = days.length; end > 0; end -= length) {
    const part = days.slice(Math.max(0, end - length), end);
    const [first, last] = [part[0]?.day ?? '', part.at(-1)?.day ?? ''];
    bars.unshift({ first, last, ...sumsOf(part) });
  }
  return bars;
};

export const hasHappened = (days: readonly DayOfSales[]): boolean =>
  days.some(({ count, clicks, referrals }) => count > 0 || clicks > 0 || referrals > 0);

const unitOf = (bars: readonly DayBar[], days: readonly DayOfSales[]): string =>
  bars.length === days.length ? 'day' : 'week';

const highestBy = (bars: readonly DayBar[], numberOf: (bar: DayBar) => number | bigint): DayBar | undefined =>
  bars.reduce<DayBar | undefined>((high, bar) => (high && numberOf(high) >= numberOf(bar) ? high : bar), undefined);

const SalesChart = ({ days, currency }: { days: readonly DayOfSales[]; currency: string }) => {
  const bars = barsOf(days);
  const each = unitOf(bars, days);
  const money = (minor: bigint) => moneyText(minor, currency);
  const amountOf = (minor: bigint): number => fromMinor(minor, currency);
  const compact = new Intl.NumberFormat(currentFormats().locale, {
    style: 'currency',
    currency,
    notation: 'compact',
    maximumSignificantDigits: 3,
  } as const);
  const highest = highestBy(bars, ({ revenueMinor }) => revenueMinor);
  return (
    <BarChart
      id="chart"
      title={`Revenue and commissions by ${each}`}
      peak={highest && `The highest ${each} was ${nameOfBar(highest)} with ${money(highest.revenueMinor)}.`}
      bars={bars}
      series={[
        { name: 'revenue', legend: 'Revenue', numberOf: ({ revenueMinor }) => amountOf(revenueMinor) },
        {
          name: 'commission',
          legend: 'Commissions (part of the revenue)',
          numberOf: ({ commissionMinor }) => amountOf(commissionMinor),
        },
      ]}
      textOf={({ revenueMinor, commissionMinor }) => `${money(revenueMinor)}, commissions ${money(commissionMinor)}`}
      tickText={(value) => compact.format(value)}
    />
  );
};

const ClicksChart = ({ days }: { days: readonly DayOfSales[] }) => {
  const bars = barsOf(days);
  const each = unitOf(bars, days);
  const compact = new Intl.NumberFormat(currentFormats().locale, { notation: 'compact' });
  const highest = highestBy(bars, ({ clicks }) => clicks);
  return (
    <BarChart
      id="clicks"
      title={`Clicks by ${each}`}
      peak={highest && `The highest ${each} was ${nameOfBar(highest)} with ${compact.format(highest.clicks)}.`}
      bars={bars}
      series={[{ name: 'clicks', legend: 'Clicks', numberOf: ({ clicks }) => clicks }]}
      textOf={({ clicks, count }) => `${clicks} clicks, ${count} sales`}
      tickText={(value) => compact.format(value)}
      isLow
    />
  );
};

export const Charts = ({ days, currency }: { days: readonly DayOfSales[]; currency: string }) => (
  <>
    {days.some(({ count }) => count > 0) && <SalesChart days={days} currency={currency} />}
    {days.some(({ clicks }) => clicks > 0) && <ClicksChart days={days} />}
  </>
);

export const SalesInNumbers = ({
  days,
  currency,
  hasCodes = true,
}: {
  days: readonly DayOfSales[];
  currency: string;
  hasCodes?: boolean;
}) => {
  const bars = barsOf(days);
  const money = (minor: bigint) => <Money minor={minor} currency={currency} />;
  return (
    <details>
      <summary>Show as a table</summary>
      <Table
        caption="Revenue and commissions"
        items={bars.toReversed()}
        keyOf={({ first }) => first}
        empty=""
        columns={[
          { heading: bars.length === days.length ? 'Day' : 'Week', cell: nameOfBar },
          { heading: 'Clicks', isNumber: true, cell: ({ clicks }) => clicks },
          { heading: 'Sales', isNumber: true, cell: ({ count }) => count },
          ...(hasCodes ? [{ heading: 'With a code', isNumber: true, cell: ({ codeCount }: DayBar) => codeCount }] : []),
          { heading: 'Revenue', isNumber: true, cell: ({ revenueMinor }) => money(revenueMinor) },
          { heading: 'Commissions', isNumber: true, cell: ({ commissionMinor }) => money(commissionMinor) },
        ]}
      />
    </details>
  );
};
