import type { DayOfSales } from '../../domain/statistics/sales-by-day.ts';
import type { Period } from '../../platform/time/days.ts';
import type { Entry } from '../components/blocks.tsx';
import { currentFormats } from '../components/formats.ts';
import { Money } from '../components/money.tsx';
import { shortDay } from './bar-chart.tsx';
import { sumsOf } from './sales-chart.tsx';

export interface ComparedDays {
  days: readonly DayOfSales[];
  before: readonly DayOfSales[] | undefined;
}

export const numberText = (value: number): string => value.toLocaleString(currentFormats().locale);

const daysText = ({ first, last }: Period): string =>
  shortDay(currentFormats().locale).formatRange(new Date(first), new Date(last));

const periodOf = (days: readonly DayOfSales[]): Period => ({ first: days[0]?.day ?? '', last: days.at(-1)?.day ?? '' });

export const percentText = (part: number, whole: number): string | undefined => {
  if (whole === 0) return undefined;
  const percent = (part / whole) * 100;
  return `${percent.toLocaleString(currentFormats().locale, { maximumFractionDigits: percent < 10 ? 1 : 0 })} %`;
};

const changeOf = (now: bigint, before: bigint): string | undefined => {
  if (before === 0n) return undefined;
  const percent = Math.round(Number(((now - before) * 1000n) / before) / 10);
  return `${percent > 0 ? '+' : ''}${percent} %`;
};

/** What a period came to, each with how it differs from the days before. */
export const periodFigures = ({ days, before }: ComparedDays, currency: string) => {
  const [sums, were] = [sumsOf(days), before && sumsOf(before)];
  const compared = (name: keyof typeof sums): string | undefined => {
    const change = were && changeOf(BigInt(sums[name]), BigInt(were[name]));
    return change && before && `${change} from ${daysText(periodOf(before))}`;
  };
  const money = (minor: bigint) => <Money minor={minor} currency={currency} />;
  // Sales by a code alone follow no click.
  const conversionBefore = were && percentText(were.linkCount, were.clicks);
  return {
    revenue: ['Revenue', money(sums.revenueMinor), compared('revenueMinor')],
    commissions: ['Commissions', money(sums.commissionMinor), compared('commissionMinor')],
    clicks: ['Clicks', numberText(sums.clicks), compared('clicks')],
    referrals: ['Referrals', numberText(sums.referrals), compared('referrals')],
    sales: ['Sales', numberText(sums.count), compared('count')],
    conversion: [
      'Sales per click',
      percentText(sums.linkCount, sums.clicks) ?? 'No clicks',
      sums.clicks > 0 && before && conversionBefore && `${conversionBefore} in ${daysText(periodOf(before))}`,
    ],
  } satisfies Record<string, Entry>;
};
