import type * as z from 'zod';
import { readStatistics as operation } from '../../../shared/contract/statistics.ts';
import { referrals } from '../../../shared/domain/referrals/repository.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { readStatistics } from '../../../shared/domain/statistics/read-statistics.ts';
import type { TestProgram } from '../../support/domain.ts';

const names = ['clicks', 'referrals', 'sales', 'revenue', 'refunds', 'commission'] as const;
type Line = Record<(typeof names)[number], number>;
export type Lines = Record<string, Line>;

const nothing = (): Line => ({ clicks: 0, referrals: 0, sales: 0, revenue: 0, refunds: 0, commission: 0 });

const withoutEmpty = (lines: Lines): Lines =>
  Object.fromEntries(Object.entries(lines).filter(([, line]) => names.some((name) => line[name] !== 0)));

export type Grouping = 'none' | 'affiliate' | 'link' | 'referrer';
export const groupings: readonly Grouping[] = ['none', 'affiliate', 'link', 'referrer'];

/** What `GET /statistics` says of each day, by `<day> <key>`, in cents. */
export const readLines = async (
  { id, currency }: TestProgram,
  groupBy: Grouping,
  query: Partial<z.input<typeof operation.query>> = {},
): Promise<Lines> => {
  const parsed = operation.query.parse({ from: '2026-01-01', to: '2026-12-31', ...query, groupBy });
  const lines: Lines = {};
  for (const { from, key, clicks, referrals: counted, sales: sold, ...amounts } of await readStatistics(
    { id, currency },
    parsed,
  )) {
    const cents = (amount: number) => Math.round(amount * 100);
    lines[`${from} ${key}`] = {
      clicks,
      referrals: counted,
      sales: sold,
      revenue: cents(amounts.revenue),
      refunds: cents(amounts.refunds),
      commission: cents(amounts.commission),
    };
  }
  return withoutEmpty(lines);
};

/** A click that counts. */
export interface CountedClick {
  day: string;
  affiliateId: string;
  affiliateLinkId: string;
  referringHost: string | null;
}

type Happened = Partial<Line> & { [Name in keyof CountedClick]: CountedClick[Name] | null } & { day: string };

/** Under which name a link counts a host on a day. */
type NameOfHost = (host: string, at: { day: string; linkId: string }) => string;

const keyOf = (
  { day, affiliateId, affiliateLinkId: linkId, referringHost }: Happened,
  groupBy: Grouping,
  nameOfHost: NameOfHost,
): string | null =>
  ({
    none: 'null',
    affiliate: affiliateId,
    link: linkId,
    referrer: linkId === null || referringHost === null ? null : nameOfHost(referringHost, { day, linkId }),
  })[groupBy];

const dayOf = ({ day, createdAt }: { day?: string | undefined; createdAt: string }): string =>
  day ?? createdAt.slice(0, 10);

interface Given {
  clicks?: readonly CountedClick[];
  nameOfHost?: NameOfHost;
  keep?: (one: Happened) => boolean;
}

/** The same from the records as they are, added up one by one. */
export const recompute = async (
  { id }: TestProgram,
  groupBy: Grouping,
  { clicks = [], nameOfHost = (host) => host, keep = () => true }: Given = {},
): Promise<Lines> => {
  const happened: Happened[] = clicks.map((click) => ({ ...click, clicks: 1 }));
  for await (const { affiliateId, affiliateLinkId, referringHost, ...referral } of referrals.all(id))
    happened.push({ day: dayOf(referral), affiliateId, affiliateLinkId, referringHost, referrals: 1 });
  for await (const { affiliateId, affiliateLinkId, referringHost, ...sale } of sales.all(id))
    happened.push({
      day: dayOf(sale),
      affiliateId,
      affiliateLinkId,
      referringHost,
      sales: 1,
      revenue: sale.totalEarnedMinor - sale.refundedAmountMinor,
      refunds: sale.refundedAmountMinor,
      commission: sale.commissionEarnedMinor,
    });
  const lines: Lines = {};
  for (const one of happened.filter(keep)) {
    const key = keyOf(one, groupBy, nameOfHost);
    if (key === null) continue;
    const line = lines[`${one.day} ${key}`] ?? nothing();
    lines[`${one.day} ${key}`] = line;
    for (const name of names) line[name] += one[name] ?? 0;
  }
  return withoutEmpty(lines);
};
