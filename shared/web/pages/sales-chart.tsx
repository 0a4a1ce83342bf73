import { scaleBand, scaleLinear, scaleUtc } from 'd3-scale';
import type { DayOfSales } from '../../domain/statistics/sales-by-day.ts';
import { fromMinor } from '../../platform/money/money.ts';
import { remembered } from '../../platform/text/remembered.ts';
import { currentFormats } from '../components/formats.ts';
import { Money, moneyText } from '../components/money.tsx';
import { Table } from '../components/table.tsx';
import { dayText } from '../components/time.tsx';

/** In pixels. Horizontal positions are in percent, so that the chart fits any width and its text keeps its size. */
const height = 230;
const plotTop = 14;
const plotBottom = 200;
const labelBaseline = 222;

const daysOfWeek = 7;
/** More would be too narrow to point at. */
const maxBars = 92;
const dateTicks = 6;

interface Sums {
  count: number;
  codeCount: number;
  clicks: number;
  referrals: number;
  revenueMinor: bigint;
  commissionMinor: bigint;
}

interface Bar extends Sums {
  first: string;
  last: string;
}

export const sumsOf = (days: readonly DayOfSales[]): Sums =>
  days.reduce<Sums>(
    (sums, day) => ({
      count: sums.count + day.count,
      codeCount: sums.codeCount + day.codeCount,
      clicks: sums.clicks + day.clicks,
      referrals: sums.referrals + day.referrals,
      revenueMinor: sums.revenueMinor + day.revenueMinor,
      commissionMinor: sums.commissionMinor + day.commissionMinor,
    }),
    { count: 0, codeCount: 0, clicks: 0, referrals: 0, revenueMinor: 0n, commissionMinor: 0n },
  );

/** Days, or weeks that end with the last day. */
const barsOf = (days: readonly DayOfSales[]): Bar[] => {
  const length = days.length > maxBars ? daysOfWeek : 1;
  const bars: Bar[] = [];
  for (let end = days.length; end > 0; end -= length) {
    const part = days.slice(Math.max(0, end - length), end);
    const [first, last] = [part[0]?.day ?? '', part.at(-1)?.day ?? ''];
    bars.unshift({ first, last, ...sumsOf(part) });
  }
  return bars;
};

const nameOf = ({ first, last }: Bar): string =>
  first === last ? dayText(first) : `${dayText(first)} to ${dayText(last)}`;

const shortDay = remembered(
  (locale) => new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' }),
);

/** The bars with a label: round dates, or all if there are few. */
const labelledBars = (bars: readonly Bar[]): Bar[] => {
  if (bars.length <= daysOfWeek) return [...bars];
  const ends = [bars[0]?.first, bars.at(-1)?.last].map((day) => new Date(day ?? 0));
  const dates = scaleUtc().domain(ends).ticks(dateTicks);
  const days = dates.map((date) => date.toISOString().slice(0, 10));
  return bars.filter(({ first, last }) => days.some((day) => first <= day && day <= last));
};

const anchorAt = (percent: number): 'start' | 'middle' | 'end' => {
  if (percent < 8) return 'start';
  return percent > 92 ? 'end' : 'middle';
};

const scalesOf = (bars: readonly Bar[], currency: string) => {
  const amountOf = (minor: bigint): number => fromMinor(minor, currency);
  const highest = Math.max(...bars.map(({ revenueMinor }) => amountOf(revenueMinor)));
  const amounts = scaleLinear([0, highest || 1], [plotBottom, plotTop]).nice(4);
  const positions = scaleBand(
    bars.map(({ first }) => first),
    [0, 100],
  ).padding(bars.length > 2 * daysOfWeek ? 0.3 : 0.6);
  const compact = new Intl.NumberFormat(currentFormats().locale, {
    style: 'currency',
    currency,
    notation: 'compact',
    maximumSignificantDigits: 3,
  } as const);
  return {
    ticks: amounts.ticks(4).map((value) => ({ y: amounts(value), label: compact.format(value) })),
    left: ({ first }: Bar) => positions(first) ?? 0,
    width: positions.bandwidth(),
    top: (minor: bigint) => amounts(amountOf(minor)),
  };
};

type Scales = ReturnType<typeof scalesOf>;

const BarOf = ({ bar, scales, currency }: { bar: Bar; scales: Scales; currency: string }) => {
  const { revenueMinor, commissionMinor } = bar;
  const money = (minor: bigint) => moneyText(minor, currency);
  const part = (name: 'revenue' | 'commission', minor: bigint) => (
    <rect
      class={name}
      x={`${scales.left(bar)}%`}
      y={scales.top(minor)}
      width={`${scales.width}%`}
      height={plotBottom - scales.top(minor)}
    />
  );
  return (
    <g>
      <title>{`${nameOf(bar)}: ${money(revenueMinor)}, commissions ${money(commissionMinor)}`}</title>
      <rect class="day" x={`${scales.left(bar)}%`} y={0} width={`${scales.width}%`} height={plotBottom} />
      {part('revenue', revenueMinor)}
      {part('commission', commissionMinor)}
    </g>
  );
};

const Labels = ({ bars, scales }: { bars: readonly Bar[]; scales: Scales }) => (
  <>
    {bars.map((bar, at) => {
      const x = scales.left(bar) + scales.width / 2;
      // On a phone there is room for every second label.
      const isForDesk = bars.length > 4 && at % 2 === 1;
      return (
        <text
          key={bar.first}
          class={isForDesk ? 'desk' : undefined}
          x={`${x}%`}
          y={labelBaseline}
          text-anchor={anchorAt(x)}
        >
          {shortDay(currentFormats().locale).format(new Date(bar.first))}
        </text>
      );
    })}
  </>
);

/** Revenue by day or week, with the commissions as a part of it. */
export const SalesChart = ({ days, currency }: { days: readonly DayOfSales[]; currency: string }) => {
  const bars = barsOf(days);
  const scales = scalesOf(bars, currency);
  const highest = bars.reduce((high, bar) => (bar.revenueMinor > high.revenueMinor ? bar : high));
  const each = bars.length === days.length ? 'day' : 'week';
  const peak = `The highest ${each} was ${nameOf(highest)} with ${moneyText(highest.revenueMinor, currency)}.`;
  return (
    <figure>
      <figcaption>
        <ul class="legend">
          <li class="revenue">Revenue</li>
          <li class="commission">Commissions (part of the revenue)</li>
        </ul>
        <span class="hint">{peak}</span>
      </figcaption>
      <div class="chart">
        <svg class="scale" height={height} aria-hidden="true">
          {scales.ticks.map(({ y, label }) => (
            <text key={label} x="100%" y={y + 4} text-anchor="end">
              {label}
            </text>
          ))}
        </svg>
        <svg class="plot" height={height} role="img" aria-labelledby="chart-title chart-description">
          <title id="chart-title">{`Revenue and commissions by ${each}`}</title>
          <desc id="chart-description">{peak} The table below has every number.</desc>
          {scales.ticks.map(({ y, label }) => (
            <line key={label} x1="0" x2="100%" y1={y} y2={y} />
          ))}
          {bars.map((bar) => (
            <BarOf key={bar.first} bar={bar} scales={scales} currency={currency} />
          ))}
          <Labels bars={labelledBars(bars)} scales={scales} />
        </svg>
      </div>
    </figure>
  );
};

/** The numbers of the chart. */
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
          { heading: bars.length === days.length ? 'Day' : 'Week', cell: nameOf },
          { heading: 'Clicks', isNumber: true, cell: ({ clicks }) => clicks },
          { heading: 'Sales', isNumber: true, cell: ({ count }) => count },
          ...(hasCodes ? [{ heading: 'With a code', isNumber: true, cell: ({ codeCount }: Bar) => codeCount }] : []),
          { heading: 'Revenue', isNumber: true, cell: ({ revenueMinor }) => money(revenueMinor) },
          { heading: 'Commissions', isNumber: true, cell: ({ commissionMinor }) => money(commissionMinor) },
        ]}
      />
    </details>
  );
};
