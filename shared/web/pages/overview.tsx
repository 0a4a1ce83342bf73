import { overviewPeriods } from '../../contract/pages/programs.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { DayOfSales } from '../../domain/sales/sales-by-day.ts';
import { Facts, Figures, LinkButton, Tabs } from '../blocks.tsx';
import { EmptyState, Table } from '../controls.tsx';
import { Money, moneyText } from '../money.tsx';
import { type View, view } from '../responses.ts';
import { dayText, Time } from '../time.tsx';

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
  const peak = highest && `The highest day was ${dayText(highest.day)} with ${money(highest.revenueMinor)}.`;
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
            <title>{`${dayText(day)}: ${money(revenueMinor)}, commissions ${money(commissionMinor)}`}</title>
            <rect class="day" x={at * dayWidth} y={0} width={dayWidth} height={fullHeight} />
            <Bar at={at} height={heightOf(revenueMinor, highest?.revenueMinor ?? 0n)} part="revenue" />
            <Bar at={at} height={heightOf(commissionMinor, highest?.revenueMinor ?? 0n)} part="commission" />
          </g>
        ))}
      </svg>
      <p class="axis" aria-hidden="true">
        {[days[0], days.at(-1)].map((day) => day && <span key={day.day}>{dayText(day.day)}</span>)}
      </p>
    </figure>
  );
};

const NothingYet = ({ programId }: { programId: string }) => (
  <EmptyState
    title="No sale was made in these days."
    action={
      <div class="actions centered">
        <LinkButton to={`/programs/${programId}/affiliates/new`}>New affiliate</LinkButton>
        <LinkButton quiet to={`/programs/${programId}/sales/new`}>
          Record sale
        </LinkButton>
      </div>
    }
  >
    Add affiliates, give them links and codes, and let your shop record what they sell.
  </EmptyState>
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
        { heading: 'Day', cell: ({ day }) => dayText(day) },
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

/** In whole percent; nothing where there was nothing to compare with. */
const changeOf = (now: bigint, before: bigint): string | undefined => {
  if (before === 0n) return undefined;
  const percent = Number(((now - before) * 1000n) / before) / 10;
  return `${percent > 0 ? '+' : ''}${Math.round(percent)} % from the days before`;
};

const periodTabs = (path: string) => overviewPeriods.map((days) => [`${days} days`, `${path}?days=${days}`] as const);

/** `days` are those of the period, after as many to compare with. */
export const overviewView = (program: StoredProgram, days: readonly DayOfSales[]): View => {
  const { currency } = program;
  const path = `/programs/${program.id}`;
  const shown = days.slice(days.length / 2);
  const [before, sums] = [sumsOf(days.slice(0, days.length / 2)), sumsOf(shown)];
  return view(
    'Overview',
    <>
      <Tabs label="Period" tabs={periodTabs(path)} current={`${path}?days=${shown.length}`} />
      <Figures
        entries={[
          [
            'Sales',
            <Money key="sales" minor={sums.revenueMinor} currency={currency} />,
            changeOf(sums.revenueMinor, before.revenueMinor),
          ],
          [
            'Commissions',
            <Money key="commissions" minor={sums.commissionMinor} currency={currency} />,
            changeOf(sums.commissionMinor, before.commissionMinor),
          ],
          ['Number of sales', sums.count, changeOf(BigInt(sums.count), BigInt(before.count))],
        ]}
      />
      {sums.count === 0 ? (
        <NothingYet programId={program.id} />
      ) : (
        <div class="card">
          <Picture days={shown} currency={currency} />
          <Numbers days={shown} currency={currency} />
          <p class="hint">Days are in UTC. Refunds are taken off. New sales are counted within seconds.</p>
        </div>
      )}
      <h2>Program</h2>
      <Facts
        entries={[
          ['Currency', currency],
          ['Default commission rate', `${program.commissionRate} %`],
          ['Created', <Time key="created" at={program.createdAt} />],
        ]}
      />
    </>,
  );
};
