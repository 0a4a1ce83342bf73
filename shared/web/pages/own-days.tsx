import { sumsOfOne } from '../../domain/statistics/read-statistics.ts';
import type { DayOfSales } from '../../domain/statistics/sales-by-day.ts';
import { daysOf, type Period } from '../../platform/time/days.ts';
import { Figures, Section } from '../components/blocks.tsx';
import type { ShownPeriod } from '../lists/period.ts';
import { PeriodTabs } from '../lists/period-tabs.tsx';
import { type ComparedDays, periodFigures } from './period-figures.tsx';
import { Charts, hasHappened, SalesInNumbers } from './sales-chart.tsx';

export interface OwnDays extends ComparedDays {
  shown: ShownPeriod;
}

export const readOwnDays = async (
  programId: string,
  of: { name: 'AFFILIATE' | 'LINK'; id: string },
  shown: ShownPeriod,
): Promise<OwnDays> => {
  const { period, before } = shown;
  const all = await sumsOfOne(programId, of, { first: before?.first ?? period.first, last: period.last });
  const byDay = new Map(all.map((sums) => [sums.day, sums]));
  const dayOf = (day: string): DayOfSales => {
    const sums = byDay.get(day);
    return {
      day,
      count: sums?.sales ?? 0,
      codeCount: 0,
      linkCount: (of.name === 'LINK' ? sums?.sales : sums?.linkSales) ?? 0,
      clicks: sums?.clicks ?? 0,
      referrals: sums?.referrals ?? 0,
      revenueMinor: sums?.revenueMinor ?? 0n,
      refundsMinor: sums?.refundsMinor ?? 0n,
      commissionMinor: sums?.commissionMinor ?? 0n,
    };
  };
  const within = (of: Period) => daysOf(of).map(dayOf);
  return { shown, days: within(period), before: before && within(before) };
};

export const OwnDaysSection = ({ own, path, currency }: { own: OwnDays; path: string; currency: string }) => {
  const { revenue, clicks, sales, conversion } = periodFigures(own, currency);
  return (
    <Section heading="By day">
      <PeriodTabs path={path} preset={own.shown.preset} />
      {hasHappened(own.days) ? (
        <>
          <Figures entries={[revenue, sales, clicks, conversion]} />
          <div class="card">
            <Charts days={own.days} currency={currency} />
            <SalesInNumbers days={own.days} currency={currency} hasCodes={false} />
          </div>
        </>
      ) : (
        <p class="hint">No clicks, referrals or sales in this period.</p>
      )}
    </Section>
  );
};
