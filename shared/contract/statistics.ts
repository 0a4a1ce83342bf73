import * as z from 'zod';
import { linkSlug, uuid } from './fields.ts';
import { operation } from './operation.ts';

export const maxStatisticDays = 366;

const day = z.iso.date('must be a date such as 2026-01-31');

const Statistic = z
  .object({
    from: z.iso.date(),
    to: z.iso.date(),
    key: z.string().nullable().describe('What it is grouped by: the id of a link or an affiliate, or a host.'),
    clicks: z.int(),
    referrals: z.int(),
    sales: z.int(),
    revenue: z.number().describe('Of the sales made then, without what was refunded of them.'),
    refunds: z.number().describe('What was refunded of the sales made then.'),
    commission: z.number(),
  })
  .meta({ id: 'Statistic' });

export const readStatistics = operation({
  id: 'readStatistics',
  method: 'GET',
  path: '/statistics',
  auth: 'key',
  tag: 'Statistics',
  summary: 'Clicks, referrals and sales by day or month',
  description:
    'Days of the program’s time zone, both included, at most 366. Without `groupBy` every interval is there; with it those ' +
    'in which something happened, for each link, affiliate or referring host. A referring host has what came by links that were followed from it. What was ' +
    'clicked or sold is counted within seconds.',
  query: z
    .strictObject({
      from: day,
      to: day,
      interval: z.enum(['day', 'month']).default('day'),
      affiliateId: uuid.optional().describe('Of this affiliate only.'),
      link: linkSlug.optional().describe('Of this link only.'),
      groupBy: z.enum(['none', 'link', 'affiliate', 'referrer']).default('none'),
    })
    .superRefine(({ from, to, affiliateId, link, groupBy }, context) => {
      const issue = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
      const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
      if (days < 1) issue('to', 'must not be before from');
      if (days > maxStatisticDays) issue('to', `must be at most ${maxStatisticDays} days after from`);
      if (affiliateId !== undefined && link !== undefined) issue('link', 'and affiliateId exclude each other');
      if (groupBy === 'affiliate' && link !== undefined) issue('groupBy', 'must be none, link or referrer with a link');
      if (groupBy === 'referrer' && affiliateId !== undefined)
        issue('groupBy', 'must be none, link or affiliate with an affiliate');
    }),
  response: z.array(Statistic),
  errors: ['not_found'],
  needs: ['SALE:list', 'STATISTIC:list', 'LINK:read', 'AFFILIATE:read'],
  example: { query: { from: '2026-01-01', to: '2026-01-31', interval: 'month' } },
});

export const statisticOperations = [readStatistics] as const;
