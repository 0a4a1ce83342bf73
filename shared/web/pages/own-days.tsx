import { sumsOfOne } from '../../domain/statistics/read-statistics.ts';
import type { DayOfSales } from '../../domain/statistics/sales-by-day.ts';
import { daysOf, lastDaysIn } from '../../platform/time/days.ts';
import { Section } from '../components/blocks.tsx';
import { SalesChart, SalesInNumbers } from './sales-chart.tsx';

const dayCount = 30;

/** What came by one affiliate or link, day by day. */
export const readOwnDays = async (
  program: { id: string; timeZone: string },
  of: { name: 'AFFILIATE' | 'LINK'; id: string },
  now: Date,
): Promise<DayOfSales[]> => {
  const period = lastDaysIn(program.timeZone, dayCount, now);
  const byDay = new Map((await sumsOfOne(program.id, of, period)).map((sums) => [sums.day, sums]));
  return daysOf(period).map((day) => {
    const sums = byDay.get(day);
    return {
      day,
      count: sums?.sales ?? 0,
      codeCount: 0,
      clicks: sums?.clicks ?? 0,
      referrals: sums?.referrals ?? 0,
      revenueMinor: sums?.revenueMinor ?? 0n,
      refundsMinor: sums?.refundsMinor ?? 0n,
      commissionMinor: sums?.commissionMinor ?? 0n,
    };
  });
};

export const OwnDays = ({ days, currency }: { days: readonly DayOfSales[]; currency: string }) =>
  days.some(({ count, clicks }) => count > 0 || clicks > 0) ? (
    <Section heading={`Last ${dayCount} days`}>
      <div class="card">
        <SalesChart days={days} currency={currency} />
        <SalesInNumbers days={days} currency={currency} hasCodes={false} />
      </div>
    </Section>
  ) : null;
