import { describe, expect, it } from 'vitest';
import { lastDaysIn } from '../../shared/platform/time/days.ts';
import { unfilled } from '../../shared/web/components/controls.tsx';
import { deliveryView } from '../../shared/web/pages/deliveries.tsx';
import { overviewView } from '../../shared/web/pages/overview.tsx';
import type { Overview } from '../../shared/web/pages/overview-figures.ts';
import { statementView } from '../../shared/web/pages/statement.tsx';
import type { Statement } from '../../shared/web/pages/statement-entries.ts';
import { probablyMissedSince } from '../../shared/web/pages/webhook-confirmations.tsx';
import { deliveryResponse } from '../../shared/webhooks/delivery/responses.ts';
import { makeStoredAffiliate } from '../support/stored-records.ts';
import { makeStoredDelivery, makeStoredWebhook } from '../webhooks/fixtures.ts';
import { htmlOf, programShown } from './shown.ts';

// What a page shows in cases that a stack is slow to make.

const now = new Date('2026-03-31T12:00:00.000Z');
const daysAgo = (days: number): string => new Date(now.getTime() - days * 24 * 60 * 60_000).toISOString();

const program = programShown();
const session = { id: 'session', email: program.ownerEmail, csrfToken: 'token', startedAt: now.getTime() };

describe('the overview', () => {
  const period = lastDaysIn('UTC', 7, now);
  const sums = {
    clicks: 1200,
    referrals: 0,
    sales: 3,
    linkSales: 1,
    revenueMinor: 4200n,
    refundsMinor: 0n,
    commissionMinor: 420n,
  };
  const affiliate = makeStoredAffiliate();
  const shown = (overrides: Partial<Overview> = {}): string => {
    const overview: Overview = {
      days: [],
      before: undefined,
      totals: [],
      hasAllTotals: true,
      topAffiliates: { sums: [], since: period.first },
      topLinks: { sums: [], since: period.first },
      newest: [],
      affiliates: new Map([[affiliate.id, affiliate]]),
      links: new Map(),
      failing: [],
      readyBatches: [],
      inactiveAffiliates: [],
      applications: [],
      heldSales: [],
      setup: undefined,
      newestAffiliateId: undefined,
      onHold: undefined,
      ...overrides,
    };
    return htmlOf(overviewView(program, { period, before: undefined, preset: 'days=7', filled: unfilled }, overview));
  };

  it('names who brought most in the period, and says where records are gone', () => {
    const top = { since: period.first, sums: [{ ...sums, id: affiliate.id }] };
    const text = shown({ topAffiliates: top, topLinks: { ...top, sums: [{ ...sums, id: 'gone' }] } });
    expect(text).toMatch(/Top affiliates.*Amara Okafor.*1,200.*\$42\.00.*Top links.*Deleted.*1,200/s);
    expect(text).not.toContain('Since');
  });

  it('says since when they were added up, where the whole period has too much', () => {
    const top = { since: '2026-03-29', sums: [{ ...sums, id: affiliate.id }] };
    expect(shown({ topAffiliates: top })).toContain('Since Mar 29, 2026');
  });

  it('compares a period with the days before, also the share of clicks that became sales by links', () => {
    const day = {
      count: 3,
      codeCount: 2,
      linkCount: 1,
      clicks: 40,
      referrals: 1,
      refundsMinor: 0n,
      commissionMinor: 10n,
    };
    const text = shown({
      days: [{ ...day, day: '2026-03-31', revenueMinor: 150n }],
      before: [{ ...day, day: '2026-03-30', clicks: 20, revenueMinor: 100n }],
    });
    expect(text).toContain('+50 % from Mar 30');
    expect(text).toMatch(/Sales per click.*2\.5 %.*5 % in Mar 30/s);
  });
});

describe('a delivery', () => {
  it.each([
    [null, true],
    ['CONNECTOR', false],
  ] as const)('to an endpoint of the connection %s leads to the page of it: %s', (connection, leads) => {
    const webhook = makeStoredWebhook({ connection });
    const beside = { webhook, sent: undefined, askedAt: undefined };
    const delivery = deliveryResponse(makeStoredDelivery());
    const shown = deliveryView({ session, programId: program.id, plan: 'BUSINESS' }, delivery, beside);
    expect(htmlOf(shown)).toContain(webhook.url);
    const path = `/programs/${program.id}/webhooks/${webhook.id}`;
    expect([htmlOf(shown).includes(`href="${path}"`), shown.trail?.map(({ path: to }) => to)]).toEqual([
      leads,
      leads ? [path] : [],
    ]);
  });
});

describe('the time since when an endpoint may have missed something', () => {
  it.each([
    ['a day where nothing is known', {}, daysAgo(1)],
    ['the first failure', { failingSince: daysAgo(3) }, daysAgo(3)],
    [
      'when it was switched off, if that was earlier',
      { failingSince: daysAgo(3), missedSince: daysAgo(9), missedUntil: daysAgo(5) },
      daysAgo(9),
    ],
    ['no more than the form takes', { failingSince: daysAgo(40) }, daysAgo(29)],
    ['nothing that is no longer kept', { missedSince: daysAgo(50), missedUntil: daysAgo(31) }, daysAgo(1)],
    ['what is still kept of a long time', { missedSince: daysAgo(50), missedUntil: daysAgo(2) }, daysAgo(29)],
  ])('is %s', (_, known, since) => {
    expect(probablyMissedSince(makeStoredWebhook(known), now)).toBe(since);
  });
});

describe('a statement', () => {
  const shown = (more: Partial<Statement>) => {
    const statement: Statement = {
      affiliate: makeStoredAffiliate(),
      sales: [],
      isComplete: true,
      payout: undefined,
      hasAllAdjustments: true,
      openAdjustmentsMinor: -500n,
      ...more,
    };
    return htmlOf(statementView(program, statement, { period: lastDaysIn('UTC', 7, now), filled: unfilled }, now));
  };

  it('says where the sum of adjustments is not of all of them', () => {
    expect(shown({})).toMatch(/Next payout is reduced by.*\$5\.00.*Refunds of sales that were already paid</);
    expect(shown({ hasAllAdjustments: false })).toContain('The newest 100 refunds');
  });

  it('says where it does not list all sales', () => {
    expect(shown({})).not.toContain('incomplete');
    expect(shown({ isComplete: false })).toContain('only the newest 500 sales are listed and added up');
  });
});
