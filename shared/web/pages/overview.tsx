import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { DayOfSales } from '../../domain/sales/sales-by-day.ts';
import { Table, Time } from '../controls.tsx';
import { Money, moneyText } from '../money.tsx';
import { type View, view } from '../responses.ts';

/** The picture's own units; browsers stretch it. */
const dayWidth = 10;
const barWidth = 7;
const fullHeight = 100;

const heightOf = (minor: bigint, highest: bigint): number =>
  highest === 0n ? 0 : (Number((minor * 1000n) / highest) / 1000) * fullHeight;

const Bar = ({ at, height, part }: { at: number; height: number; part: 'revenue' | 'commission' }) => (
  <rect
    class={part}
    x={at * dayWidth + (dayWidth - barWidth) / 2}
    y={fullHeight - height}
    width={barWidth}
    height={height}
  />
);

interface Sums {
  count: number;
  revenueMinor: bigint;
  commissionMinor: bigint;
}

const sumsOf = (days: readonly DayOfSales[]): Sums =>
  days.reduce<Sums>(
    (sums, { count, revenueMinor, commissionMinor }) => ({
      count: sums.count + count,
      revenueMinor: sums.revenueMinor + revenueMinor,
      commissionMinor: sums.commissionMinor + commissionMinor,
    }),
    { count: 0, revenueMinor: 0n, commissionMinor: 0n },
  );

const highestOf = (days: readonly DayOfSales[]): DayOfSales | undefined =>
  days.reduce<DayOfSales | undefined>(
    (highest, day) => (highest && highest.revenueMinor >= day.revenueMinor ? highest : day),
    undefined,
  );

const Picture = ({ days, currency }: { days: readonly DayOfSales[]; currency: string }) => {
  const highest = highestOf(days);
  const money = (minor: bigint) => moneyText(minor, currency);
  const peak = highest && `The highest day was ${highest.day} with ${money(highest.revenueMinor)}.`;
  return (
    <figure>
      <figcaption>
        <ul class="legend">
          <li class="revenue">Sales</li>
          <li class="commission">Commissions, as part of them</li>
        </ul>
        <span class="hint">{peak}</span>
      </figcaption>
      <svg
        class="chart"
        viewBox={`0 0 ${days.length * dayWidth} ${fullHeight}`}
        preserveAspectRatio="none"
        role="img"
        aria-labelledby="chart-title chart-description"
      >
        <title id="chart-title">Sales and commissions of each of the last {days.length} days</title>
        <desc id="chart-description">{peak} The table below has every day.</desc>
        {days.map(({ day, revenueMinor, commissionMinor }, at) => (
          <g key={day}>
            <title>{`${day}: ${money(revenueMinor)}, commissions ${money(commissionMinor)}`}</title>
            <rect class="day" x={at * dayWidth} y={0} width={dayWidth} height={fullHeight} />
            <Bar at={at} height={heightOf(revenueMinor, highest?.revenueMinor ?? 0n)} part="revenue" />
            <Bar at={at} height={heightOf(commissionMinor, highest?.revenueMinor ?? 0n)} part="commission" />
          </g>
        ))}
      </svg>
      <p class="axis" aria-hidden="true">
        <span>{days[0]?.day}</span>
        <span>{days.at(-1)?.day}</span>
      </p>
    </figure>
  );
};

const NothingYet = () => (
  <p class="empty">
    No sale was made in these days. Record one with <code>POST /sales</code>: the <a href="/docs">documentation</a> says
    how.
  </p>
);

const Numbers = ({ days, currency }: { days: readonly DayOfSales[]; currency: string }) => (
  <details>
    <summary>Every day in numbers</summary>
    <Table
      caption="Sales and commissions by day"
      items={days.toReversed()}
      keyOf={({ day }) => day}
      empty=""
      columns={[
        { heading: 'Day', cell: ({ day }) => day },
        { heading: 'Number', isNumber: true, cell: ({ count }) => count },
        {
          heading: 'Sales',
          isNumber: true,
          cell: ({ revenueMinor }) => <Money minor={revenueMinor} currency={currency} />,
        },
        {
          heading: 'Commissions',
          isNumber: true,
          cell: ({ commissionMinor }) => <Money minor={commissionMinor} currency={currency} />,
        },
      ]}
    />
  </details>
);

export const overviewView = (program: StoredProgram, days: readonly DayOfSales[]): View => {
  const { currency } = program;
  const sums = sumsOf(days);
  return view(
    'Overview',
    <>
      <h2>Last {days.length} days</h2>
      <p class="hint">Days are in UTC. Refunds are taken off. New sales are counted within seconds.</p>
      <dl class="figures">
        <div>
          <dt>Sales</dt>
          <dd>
            <Money minor={sums.revenueMinor} currency={currency} />
          </dd>
        </div>
        <div>
          <dt>Commissions</dt>
          <dd>
            <Money minor={sums.commissionMinor} currency={currency} />
          </dd>
        </div>
        <div>
          <dt>Number of sales</dt>
          <dd>{sums.count}</dd>
        </div>
      </dl>
      {sums.count === 0 ? (
        <NothingYet />
      ) : (
        <>
          <Picture days={days} currency={currency} />
          <Numbers days={days} currency={currency} />
        </>
      )}
      <h2>Program</h2>
      <dl>
        <dt>Currency</dt>
        <dd>{currency}</dd>
        <dt>Default commission rate</dt>
        <dd>{program.commissionRate} %</dd>
        <dt>Created</dt>
        <dd>
          <Time at={program.createdAt} />
        </dd>
      </dl>
    </>,
  );
};
