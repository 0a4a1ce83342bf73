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

/** A click that counts, with the name that its referring host is counted by. */
export interface CountedClick {
  day: string;
  affiliateId: string;
  linkId: string;
  host: string | null;
}

interface Happened extends Partial<Line> {
  day: string;
  affiliateId: string | null;
  affiliateLinkId: string | null;
  host: string | null;
}

const keyOf = ({ affiliateId, affiliateLinkId, host }: Happened, groupBy: Grouping): string | null | undefined =>
  ({
    none: null,
    affiliate: affiliateId ?? undefined,
    link: affiliateLinkId ?? undefined,
    referrer: (affiliateLinkId !== null && host) || undefined,
  })[groupBy];

/** The same from the records as they are, added up one by one. */
export const recompute = async (
  { id }: TestProgram,
  groupBy: Grouping,
  {
    clicks = [],
    hostOf = () => null,
  }: { clicks?: readonly CountedClick[]; hostOf?: (id: string) => string | null } = {},
): Promise<Lines> => {
  const happened: Happened[] = clicks.map(({ linkId: affiliateLinkId, ...click }) => ({
    ...click,
    affiliateLinkId,
    clicks: 1,
  }));
  for await (const referral of referrals.all(id))
    happened.push({
      ...referral,
      day: referral.day ?? referral.createdAt.slice(0, 10),
      host: hostOf(referral.id),
      referrals: 1,
    });
  for await (const { id: saleId, day, createdAt, affiliateId, affiliateLinkId, ...sale } of sales.all(id))
    happened.push({
      day: day ?? createdAt.slice(0, 10),
      affiliateId,
      affiliateLinkId,
      host: hostOf(saleId),
      sales: 1,
      revenue: sale.totalEarnedMinor - sale.refundedAmountMinor,
      refunds: sale.refundedAmountMinor,
      commission: sale.commissionEarnedMinor,
    });
  const lines: Lines = {};
  for (const one of happened) {
    const key = keyOf(one, groupBy);
    if (key === undefined) continue;
    const line = lines[`${one.day} ${key}`] ?? nothing();
    lines[`${one.day} ${key}`] = line;
    for (const name of names) line[name] += one[name] ?? 0;
  }
  return withoutEmpty(lines);
};
