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
  it.each([
    [true, 'Top affiliates'],
    [false, 'Top of the newest 1,000 affiliates'],
  ])('says whose figures were compared: of all affiliates %s', (hasAllTotals, heading) => {
    const period = lastDaysIn('UTC', 7, now);
    const overview: Overview = {
      days: [],
      before: undefined,
      totals: [],
      hasAllTotals,
      top: [],
      newest: [],
      affiliates: new Map(),
      failing: [],
      readyBatches: [],
      inactiveAffiliates: [],
      heldSales: [],
      setup: undefined,
      newestAffiliateId: undefined,
    };
    expect(htmlOf(overviewView(program, { period, preset: '7', filled: unfilled }, overview))).toContain(
      `<h2>${heading}</h2>`,
    );
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
