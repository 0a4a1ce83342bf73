import type { ComponentChildren } from 'preact';
import { fullName } from '../../domain/affiliates/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { Top, TopSums } from '../../domain/statistics/top-sums.ts';
import { recordIdEdges } from '../../platform/table/record-id.ts';
import type { Period } from '../../platform/time/days.ts';
import { type Entry, Figures, FormLink, LinkButton, Section } from '../components/blocks.tsx';
import { PeriodFields } from '../components/controls.tsx';
import { endOfDay, startOfDay } from '../components/days.ts';
import { currentFormats } from '../components/formats.ts';
import { Money } from '../components/money.tsx';
import { EmptyState, Table } from '../components/table.tsx';
import { dayText } from '../components/time.tsx';
import type { ChosenPeriod } from '../lists/period.ts';
import { PeriodTabs } from '../lists/period-tabs.tsx';
import { type View, view } from '../responses.ts';
import { affiliatePath, affiliatesPath } from './affiliates.tsx';
import { Attention } from './attention.tsx';
import { Checklist } from './checklist.tsx';
import { linkPath } from './link-path.ts';
import { onHoldText } from './on-hold.tsx';
import { maxAffiliates, type Overview } from './overview-figures.ts';
import { payoutBatchesPath } from './payout-batches.tsx';
import { numberText, percentText, periodFigures } from './period-figures.tsx';
import { NewestSales, salesPath } from './sales.tsx';
import { Charts, hasHappened, SalesInNumbers, sumsOf } from './sales-chart.tsx';

const PeriodChoice = ({ path, chosen }: { path: string; chosen: ChosenPeriod }) => {
  const { period, preset, filled } = chosen;
  return (
    <div class="period">
      <PeriodTabs path={path} preset={preset} />
      <form class="filter" method="get" action={path}>
        <PeriodFields from={period.first} to={period.last} filled={filled} />
        <button class="quiet" type="submit">
          Show
        </button>
      </form>
    </div>
  );
};

/** Of all affiliates, or of the newest that were read. */
const standingOf = ({ totals, hasAllTotals }: Overview, { first, last }: Period) => {
  const since = recordIdEdges.lowest(Date.parse(startOfDay(first)));
  const until = recordIdEdges.highest(Date.parse(endOfDay(last)));
  const unpaid = totals.map((one) => BigInt(one.totalCommissionEarnedMinor) - BigInt(one.totalCommissionPaidMinor));
  const payees = unpaid.filter((minor) => minor > 0n).length;
  const added = totals.filter(({ affiliateId }) => since <= affiliateId && affiliateId <= until).length;
  return {
    count: `${numberText(totals.length)}${hasAllTotals ? '' : ' or more'}`,
    added: added > 0 ? `${numberText(added)} new in this period` : undefined,
    unpaidMinor: unpaid.reduce((sum, minor) => sum + minor, 0n),
    unpaidTo: hasAllTotals
      ? `To ${payees} ${payees === 1 ? 'affiliate' : 'affiliates'}`
      : `Of the newest ${numberText(maxAffiliates)} affiliates`,
  };
};

const figuresOf = ({ id, currency }: StoredProgram, overview: Overview, period: Period): Entry[] => {
  const { revenue, commissions, clicks, referrals, sales, conversion } = periodFigures(overview, currency);
  const { count, codeCount } = sumsOf(overview.days);
  const standing = standingOf(overview, period);
  const unpaid = <Money minor={standing.unpaidMinor} currency={currency} />;
  return [
    revenue,
    commissions,
    [
      'Unpaid commissions',
      standing.unpaidMinor > 0n ? (
        <FormLink key="unpaid" to={`${payoutBatchesPath(id)}/new`}>
          {unpaid}
        </FormLink>
      ) : (
        unpaid
      ),
      onHoldText(overview.onHold, currency) ?? standing.unpaidTo,
    ],
    clicks,
    referrals,
    sales,
    conversion,
    [
      'Sales with a code',
      percentText(codeCount, count) ?? 'None',
      count > 0 && `${numberText(codeCount)} of ${numberText(count)}`,
    ],
    ['Affiliates', standing.count, standing.added],
  ];
};

const NoSales = ({ programId, hasEarlier }: { programId: string; hasEarlier: boolean }) => (
  <EmptyState
    title="No sales in this period"
    action={
      !hasEarlier && (
        <div class="actions centered">
          <LinkButton to={`/programs/${programId}/affiliates/new`}>New affiliate</LinkButton>
          <LinkButton quiet to={`/programs/${programId}/sales/new`}>
            Record sale
          </LinkButton>
        </div>
      )
    }
  >
    {hasEarlier
      ? 'There were no clicks and no referrals either. Choose another period.'
      : 'Add affiliates, give them links and codes, and record the sales that they bring.'}
  </EmptyState>
);

const TopTable = (props: {
  heading: string;
  what: string;
  top: Top;
  period: Period;
  all: string;
  nameOf: (id: string) => ComponentChildren;
  currency: string;
}) => {
  const money = (minor: bigint) => <Money minor={minor} currency={props.currency} />;
  const { sums, since } = props.top;
  return (
    <Section heading={props.heading} actions={<a href={props.all}>All {props.what.toLowerCase()}s</a>}>
      {since > props.period.first && (
        <p class="hint">Since {dayText(since)}: the days before have too much to add up here.</p>
      )}
      <Table<TopSums>
        caption={props.heading}
        items={sums}
        keyOf={({ id }) => id}
        empty={`No ${props.what.toLowerCase()} has brought anything in this period.`}
        columns={[
          { heading: props.what, cell: ({ id }) => props.nameOf(id) },
          { heading: 'Clicks', isNumber: true, cell: ({ clicks }) => numberText(clicks) },
          { heading: 'Sales', isNumber: true, cell: ({ sales }) => numberText(sales) },
          { heading: 'Revenue', isNumber: true, cell: (one) => money(one.revenueMinor) },
        ]}
      />
    </Section>
  );
};

const Tops = ({ program, overview, period }: { program: StoredProgram; overview: Overview; period: Period }) => {
  const { id: programId, currency } = program;
  const { affiliates, links, topAffiliates, topLinks } = overview;
  const row = (path: string, name: string | undefined) =>
    name !== undefined && (
      <a class="row-link" href={path}>
        {name}
      </a>
    );
  const affiliateName = (id: string) => {
    const affiliate = affiliates.get(id);
    return affiliate && fullName(affiliate);
  };
  return (
    <div class="columns even">
      <div>
        <TopTable
          heading="Top affiliates"
          what="Affiliate"
          top={topAffiliates}
          period={period}
          all={affiliatesPath(programId)}
          nameOf={(id) => row(affiliatePath(programId, id), affiliateName(id)) || 'Deleted'}
          currency={currency}
        />
      </div>
      <div>
        <TopTable
          heading="Top links"
          what="Link"
          top={topLinks}
          period={period}
          all={`/programs/${programId}/links`}
          nameOf={(id) => row(linkPath(programId, id), links.get(id)?.link) || 'Deleted'}
          currency={currency}
        />
      </div>
    </div>
  );
};

export const overviewView = (program: StoredProgram, chosen: ChosenPeriod, overview: Overview): View => {
  const { id: programId, currency } = program;
  const { days } = overview;
  return view(
    'Overview',
    <>
      <PeriodChoice path={`/programs/${programId}`} chosen={chosen} />
      <Attention programId={programId} overview={overview} />
      <Checklist program={program} overview={overview} />
      <div class="overview">
        <Figures entries={figuresOf(program, overview, chosen.period)} />
      </div>
      {hasHappened(days) ? (
        <div class="card">
          <Charts days={days} currency={currency} />
          <SalesInNumbers days={days} currency={currency} />
          <p class="hint">
            Days are in the program’s time zone ({currentFormats().timeZone}). Refunds are subtracted from the day of
            their sale. New sales appear within seconds.
          </p>
        </div>
      ) : (
        <NoSales programId={programId} hasEarlier={overview.newest.length > 0} />
      )}
      <Tops program={program} overview={overview} period={chosen.period} />
      <NewestSales
        program={program}
        sales={overview.newest}
        affiliates={overview.affiliates}
        actions={overview.newest.length > 0 && <a href={salesPath(programId)}>All sales</a>}
        empty="No sales yet."
      />
    </>,
    { status: Object.keys(chosen.filled.errors).length > 0 ? 400 : 200 },
  );
};
