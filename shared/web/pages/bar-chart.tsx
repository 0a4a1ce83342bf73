import { scaleBand, scaleLinear, scaleUtc } from 'd3-scale';
import { remembered } from '../../platform/text/remembered.ts';
import { currentFormats } from '../components/formats.ts';
import { dayText } from '../components/time.tsx';

/** In pixels. Horizontal positions are in percent, so that the chart fits any width and its text keeps its size. */
const heights = { full: 230, low: 130 };
const plotTop = 14;
const labelRoom = 30;
const labelBaseline = 8;

const daysOfWeek = 7;
const dateTicks = 6;

export interface Bar {
  first: string;
  last: string;
}

interface Series<Shown> {
  name: 'revenue' | 'commission' | 'clicks';
  legend: string;
  numberOf: (bar: Shown) => number;
}

interface Charted<Shown> {
  id: string;
  title: string;
  peak: string | undefined;
  bars: readonly Shown[];
  /** The first is the highest; others are parts of it. */
  series: readonly [Series<Shown>, ...Series<Shown>[]];
  textOf: (bar: Shown) => string;
  tickText: (value: number) => string;
  isLow?: boolean;
}

export const nameOfBar = ({ first, last }: Bar): string =>
  first === last ? dayText(first) : `${dayText(first)} to ${dayText(last)}`;

export const shortDay = remembered(
  (locale) => new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' }),
);

/** The bars with a label: round dates, or all if there are few. */
const labelledBars = <Shown extends Bar>(bars: readonly Shown[]): Shown[] => {
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

const scalesOf = <Shown extends Bar>({ bars, series: [whole], tickText, isLow = false }: Charted<Shown>) => {
  const height = isLow ? heights.low : heights.full;
  const bottom = height - labelRoom;
  const count = isLow ? 2 : 4;
  const highest = Math.max(...bars.map(whole.numberOf));
  const values = scaleLinear([0, highest || 1], [bottom, plotTop]).nice(count);
  const positions = scaleBand(
    bars.map(({ first }) => first),
    [0, 100],
  ).padding(bars.length > 2 * daysOfWeek ? 0.3 : 0.6);
  const ticks = values.ticks(count).filter((value) => whole.name !== 'clicks' || Number.isInteger(value));
  return {
    height,
    bottom,
    ticks: ticks.map((value) => ({ y: values(value), label: tickText(value) })),
    left: ({ first }: Bar) => positions(first) ?? 0,
    width: positions.bandwidth(),
    top: (value: number) => values(value),
  };
};

type Scales = ReturnType<typeof scalesOf>;

const BarOf = <Shown extends Bar>({ bar, scales, chart }: { bar: Shown; scales: Scales; chart: Charted<Shown> }) => {
  const place = { x: `${scales.left(bar)}%`, width: `${scales.width}%` };
  return (
    <g>
      <title>{`${nameOfBar(bar)}: ${chart.textOf(bar)}`}</title>
      <rect class="day" x={place.x} y={0} width={place.width} height={scales.bottom} />
      {chart.series.map(({ name, numberOf }) => {
        const y = scales.top(numberOf(bar));
        return <rect key={name} class={name} x={place.x} y={y} width={place.width} height={scales.bottom - y} />;
      })}
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
          y={scales.height - labelBaseline}
          text-anchor={anchorAt(x)}
        >
          {shortDay(currentFormats().locale).format(new Date(bar.first))}
        </text>
      );
    })}
  </>
);

/** Bars of days or weeks, with a legend, a scale, and what a screen reader says of them. */
export const BarChart = <Shown extends Bar>(chart: Charted<Shown>) => {
  const { id, title, peak, bars, series } = chart;
  const scales = scalesOf(chart);
  return (
    <figure>
      <figcaption>
        <ul class="legend">
          {series.map(({ name, legend }) => (
            <li key={name} class={name}>
              {legend}
            </li>
          ))}
        </ul>
        <span class="hint">{peak}</span>
      </figcaption>
      <div class="chart">
        <svg class="scale" height={scales.height} aria-hidden="true">
          {scales.ticks.map(({ y, label }) => (
            <text key={label} x="100%" y={y + 4} text-anchor="end">
              {label}
            </text>
          ))}
        </svg>
        <svg class="plot" height={scales.height} role="img" aria-labelledby={`${id}-title ${id}-description`}>
          <title id={`${id}-title`}>{title}</title>
          <desc id={`${id}-description`}>{peak} The table below has every number.</desc>
          {scales.ticks.map(({ y, label }) => (
            <line key={label} x1="0" x2="100%" y1={y} y2={y} />
          ))}
          {bars.map((bar) => (
            <BarOf key={bar.first} bar={bar} scales={scales} chart={chart} />
          ))}
          <Labels bars={labelledBars(bars)} scales={scales} />
        </svg>
      </div>
    </figure>
  );
};
