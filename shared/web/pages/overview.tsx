import { overviewPeriods } from '../../contract/pages/programs.ts';
import { fullName } from '../../domain/affiliates/rules.ts';
import type { TotalsOfAffiliate } from '../../domain/affiliates/totals.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { recordIdEdges } from '../../platform/table/record-id.ts';
import type { Period } from '../../platform/time/days.ts';
import { type Entry, Figures, FormLink, LinkButton, Section, Tabs } from '../components/blocks.tsx';
import { PeriodFields } from '../components/controls.tsx';
import { startOfDay } from '../components/days.ts';
import { currentFormats } from '../components/formats.ts';
import { Money } from '../components/money.tsx';
import { EmptyState, Table } from '../components/table.tsx';
import type { ChosenPeriod } from '../lists/period.ts';
import { type View, view } from '../responses.ts';
import { affiliatePath, affiliatesPath } from './affiliates.tsx';
import { Attention } from './attention.tsx';
import { Checklist } from './checklist.tsx';
import { onHoldText } from './on-hold.tsx';
import { maxAffiliates, type Overview } from './overview-figures.ts';
import { payoutBatchesPath } from './payout-batches.tsx';
import { NewestSales, salesPath } from './sales.tsx';
import { SalesChart, SalesInNumbers, sumsOf } from './sales-chart.tsx';

const PeriodChoice = ({ path, chosen }: { path: string; chosen: ChosenPeriod }) => {
  const { period, preset, filled } = chosen;
  return (
    <div class="period">
      <Tabs
        label="Period"
        tabs={overviewPeriods.map((days) => [`${days} days`, `${path}?days=${days}`] as const)}
        current={preset ? `${path}?days=${preset}` : ''}
      />
      <form class="filter" method="get" action={path}>
        <PeriodFields from={period.first} to={period.last} filled={filled} />
        <button class="quiet" type="submit">
          Show
        </button>
      </form>
    </div>
  );
};

/** In whole percent; undefined if there is nothing to compare with. */
const changeOf = (now: bigint, before: bigint | undefined): string | undefined => {
  if (before === undefined || before === 0n) return undefined;
  const percent = Math.round(Number(((now - before) * 1000n) / before) / 10);
  return `${percent > 0 ? '+' : ''}${percent} % from the previous period`;
};

const percentOf = (part: number, whole: number): string => `${Math.round((part / whole) * 100)} %`;

const numberText = (value: number): string => value.toLocaleString(currentFormats().locale);

/** Of all affiliates, or of the newest that were read. */
const standingOf = ({ totals, hasAllTotals }: Overview, { first }: Period) => {
  const since = recordIdEdges.lowest(Date.parse(startOfDay(first)));
  const unpaid = totals.map((one) => BigInt(one.totalCommissionEarnedMinor) - BigInt(one.totalCommissionPaidMinor));
  const payees = unpaid.filter((minor) => minor > 0n).length;
  const added = totals.filter(({ affiliateId }) => affiliateId >= since).length;
  return {
    count: `${numberText(totals.length)}${hasAllTotals ? '' : ' or more'}`,
    added: added > 0 ? `${added} new in this period` : undefined,
    unpaidMinor: unpaid.reduce((sum, minor) => sum + minor, 0n),
    unpaidTo: hasAllTotals
      ? `To ${payees} ${payees === 1 ? 'affiliate' : 'affiliates'}`
      : `Of the newest ${numberText(maxAffiliates)} affiliates`,
  };
};

const figuresOf = ({ id, currency }: StoredProgram, overview: Overview, period: Period): Entry[] => {
  const sums = sumsOf(overview.days);
  const before = overview.before && sumsOf(overview.before);
  const standing = standingOf(overview, period);
  const money = (minor: bigint) => <Money minor={minor} currency={currency} />;
  return [
    ['Revenue', money(sums.revenueMinor), changeOf(sums.revenueMinor, before?.revenueMinor)],
    ['Commissions', money(sums.commissionMinor), changeOf(sums.commissionMinor, before?.commissionMinor)],
    [
      'Unpaid commissions',
      standing.unpaidMinor > 0n ? (
        <FormLink key="unpaid" to={`${payoutBatchesPath(id)}/new`}>
          {money(standing.unpaidMinor)}
        </FormLink>
      ) : (
        money(standing.unpaidMinor)
      ),
      onHoldText(overview.onHold, currency) ?? standing.unpaidTo,
    ],
    ['Clicks', numberText(sums.clicks), before && changeOf(BigInt(sums.clicks), BigInt(before.clicks))],
    ['Referrals', numberText(sums.referrals), before && changeOf(BigInt(sums.referrals), BigInt(before.referrals))],
    ['Sales', numberText(sums.count), before && changeOf(BigInt(sums.count), BigInt(before.count))],
    [
      'Sales per click',
      sums.clicks > 0 ? percentOf(sums.count, sums.clicks) : 'No clicks',
      sums.clicks > 0 && `${numberText(sums.count)} sales of ${numberText(sums.clicks)} clicks`,
    ],
    [
      'Sales with a code',
      sums.count > 0 ? percentOf(sums.codeCount, sums.count) : 'None',
      sums.count > 0 && `${numberText(sums.codeCount)} of ${numberText(sums.count)}`,
    ],
    ['Affiliates', standing.count, standing.added],
  ];
};

const NothingYet = ({ programId }: { programId: string }) => (
  <EmptyState
    title="No sales in this period"
    action={
      <div class="actions centered">
        <LinkButton to={`/programs/${programId}/affiliates/new`}>New affiliate</LinkButton>
        <LinkButton quiet to={`/programs/${programId}/sales/new`}>
          Record sale
        </LinkButton>
      </div>
    }
  >
    Add affiliates, give them links and codes, and record the sales that they bring.
  </EmptyState>
);

const TopAffiliates = ({ program, overview }: { program: StoredProgram; overview: Overview }) => {
  const { id: programId, currency } = program;
  const money = (minor: number | bigint) => <Money minor={minor} currency={currency} />;
  return (
    <Section
      heading={overview.hasAllTotals ? 'Top affiliates' : `Top of the newest ${numberText(maxAffiliates)} affiliates`}
      actions={<a href={affiliatesPath(programId)}>All affiliates</a>}
    >
      <Table<TotalsOfAffiliate>
        caption="Top affiliates"
        items={overview.top}
        keyOf={({ affiliateId }) => affiliateId}
        empty="No affiliate has made a sale yet."
        columns={[
          {
            heading: 'Affiliate',
            cell: ({ affiliateId }) => {
              const affiliate = overview.affiliates.get(affiliateId);
              return affiliate ? (
                <a class="row-link" href={affiliatePath(programId, affiliateId)}>
                  {fullName(affiliate)}
                </a>
              ) : (
                'Deleted'
              );
            },
          },
          { heading: 'Total revenue', isNumber: true, cell: (one) => money(one.totalRevenueMinor) },
          { heading: 'Earned', isNumber: true, cell: (one) => money(one.totalCommissionEarnedMinor) },
        ]}
      />
    </Section>
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
      {days.some(({ count }) => count > 0) ? (
        <div class="card">
          <SalesChart days={days} currency={currency} />
          <SalesInNumbers days={days} currency={currency} />
          <p class="hint">
            Days are in the program’s time zone ({currentFormats().timeZone}). Refunds are subtracted from the day of
            their sale. New sales appear within seconds.
          </p>
        </div>
      ) : (
        <NothingYet programId={programId} />
      )}
      <div class="columns wide">
        <div>
          <NewestSales
            program={program}
            sales={overview.newest}
            affiliates={overview.affiliates}
            actions={overview.newest.length > 0 && <a href={salesPath(programId)}>All sales</a>}
            empty="No sales yet."
          />
        </div>
        <div>
          <TopAffiliates program={program} overview={overview} />
        </div>
      </div>
    </>,
    { status: Object.keys(chosen.filled.errors).length > 0 ? 400 : 200 },
  );
};
