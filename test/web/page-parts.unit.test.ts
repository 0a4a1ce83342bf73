import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../shared/contract/event-types.ts';
import { StoredPayout } from '../../shared/domain/payouts/payouts.ts';
import type { StoredPayoutBatch } from '../../shared/domain/payouts/rules.ts';
import { Page } from '../../shared/platform/table/page.ts';
import { unfilled } from '../../shared/web/components/controls.tsx';
import { lastSections, sectionGroups } from '../../shared/web/components/sections.ts';
import { Table } from '../../shared/web/components/table.tsx';
import { EventChoices } from '../../shared/web/forms/event-choices.tsx';
import { Paging } from '../../shared/web/lists/list-controls.tsx';
import { listPart, recordsInPart } from '../../shared/web/lists/list-part.ts';
import { declineView } from '../../shared/web/pages/applications.tsx';
import { disconnectionView } from '../../shared/web/pages/connected-apps.tsx';
import { deliveryView } from '../../shared/web/pages/deliveries.tsx';
import { eventView } from '../../shared/web/pages/events.tsx';
import { payoutBatchView } from '../../shared/web/pages/payout-batch.tsx';
import { promotionalCodesView } from '../../shared/web/pages/promotional-codes.tsx';
import { referralsView } from '../../shared/web/pages/referrals.tsx';
import { webhookChangeView } from '../../shared/web/pages/webhooks.tsx';
import { view, webResponse } from '../../shared/web/responses.ts';
import { deliveryResponse } from '../../shared/webhooks/delivery/responses.ts';
import { makeStoredAffiliate, makeStoredReferral } from '../support/stored-records.ts';
import { makeStoredDelivery, makeStoredWebhook } from '../webhooks/fixtures.ts';
import { htmlOf, linesOf, programShown } from './shown.ts';

Object.assign(process.env, { APP_URL: 'https://app.example', CURSOR_KEY: 'a key of tests' });

const now = new Date('2026-03-31T12:00:00.000Z');
const program = programShown();
const programId = program.id;
const session = { id: 'session', email: program.ownerEmail, csrfToken: 'token', startedAt: now.getTime() };
const affiliate = makeStoredAffiliate();
const frame = { address: `/programs/${programId}`, session, program, role: 'OWNER' } as const;

const batch = {
  id: '019a0000-0000-7000-8000-0000000000b1',
  createdAt: now.toISOString(),
  name: 'March',
  currency: 'USD',
  status: 'READY',
  step: 'DONE',
  periodStart: null,
  periodEnd: now.toISOString(),
  totalAmountMinor: '1000',
  minimumAmountMinor: null,
  couponId: null,
  payoutCount: 1,
  saleCount: 2,
  metadata: {},
} as unknown as StoredPayoutBatch;
const pageOf = <Item>(items: readonly Item[]) =>
  new Page(
    items.map((item, at) => ({ item, position: String(at) })),
    undefined,
  );
const partOf = (path: string, asked: Record<string, string> = {}) =>
  listPart({ id: 'list' } as unknown as Parameters<typeof listPart>[0], programId, path, asked);

describe('the event', () => {
  const shown = (type: string, data: object, actor: unknown) =>
    linesOf(
      htmlOf(
        eventView(
          programId,
          {
            id: '019a0000-0000-7000-8000-0000000000e9',
            createdAt: now.toISOString(),
            updatedAt: now.toISOString(),
            version: 1,
            ttl: 1,
            type,
            body: JSON.stringify({ actor, data }),
          },
          { part: partOf('/events'), page: new Page([], undefined), endpoints: [] },
        ),
      ),
    );

  it.each([
    ['affiliate.created', 'affiliates'],
    ['link.created', 'links'],
    ['coupon.created', 'coupons'],
    ['promotional_code.created', 'promotional-codes'],
    ['referral.created', 'referrals'],
    ['sale.created', 'sales'],
    ['payout_batch.created', 'payout-batches'],
  ])('%s leads to the record among the %s', (type, section) => {
    const about = `The name (/programs/${programId}/${section}/record)`;
    expect(shown(type, { id: 'record', name: 'The name' }, null).join(' ')).toContain(about);
  });

  it.each([
    [{ type: 'SYSTEM', id: null }, 'The system', 'Background process'],
    [{ type: 'MEMBER', id: 'owner@example.com' }, 'owner@example.com', 'In the dashboard'],
  ])('of %o was by %s', (actor, who, how) => {
    const lines = shown('sale.deleted', { id: 'record' }, actor);
    expect(lines.slice(0, 5)).toEqual(['About', 'record', 'By', who, how]);
  });
});

it('every type of event can be ticked, with what it tells, below what it is about', () => {
  const html = renderToString(h(EventChoices, { isTicked: (type) => type === 'sale.created' }));
  const boxes = [...html.matchAll(/<input type="checkbox"[^>]*name="([^"]+)"([^>]*)>/g)];
  expect(boxes.map(([, name]) => name).toSorted()).toEqual([...eventTypes].toSorted());
  expect(boxes.filter(([box]) => / checked\b/.test(box)).map(([, name]) => name)).toEqual(['sale.created']);
  expect(html).toContain('<h2>Sales</h2>');
  expect(html).not.toContain('Others');
});

it('a delivery says that it is under way until an attempt was made after it was asked for', () => {
  const attempt = { attemptedAt: '2026-03-31T11:00:00.000Z', status: 500, responseTimeMs: 1, error: null };
  const delivery = deliveryResponse(makeStoredDelivery({ attempts: [attempt] as never }));
  const isUnderWay = (askedAt: string | undefined): boolean =>
    htmlOf(
      deliveryView({ session, programId, plan: 'BUSINESS' }, delivery, {
        webhook: makeStoredWebhook(),
        sent: undefined,
        askedAt,
      }),
    ).includes('The event is being sent');
  expect([undefined, '2026-03-31T10:59:59.000Z', attempt.attemptedAt, now.toISOString()].map(isUnderWay)).toEqual([
    false,
    false,
    false,
    true,
  ]);
});

it.each([
  [0, 0, 'Connected apps'],
  [0, 1, 'Disconnect?'],
  [1, 0, 'Disconnect?'],
])('there is something to disconnect with %i connections and %i subscriptions: %s', (connections, count, title) => {
  const connection = connections > 0 ? { platforms: ['zapier.com'], createdAt: now.toISOString() } : undefined;
  const subscriptions = Array.from({ length: count }, () => makeStoredWebhook({ connection: 'CONNECTOR' }));
  const connected = { connection, lastUsedAt: undefined, subscriptions } as never;
  const setup = { hosts: [], authorization: '', token: '', test: '', base: '' };
  expect(disconnectionView(session, programId, 'BUSINESS', connected, setup).title).toBe(title);
});

it('a payout batch lists whom to pay where, how and how much, and who was deleted', () => {
  const payout = StoredPayout.parse({ sk: affiliate.id, amountMinor: 1000, saleCount: 2 });
  const entries = [
    { payout, affiliate: makeStoredAffiliate({ payoutEmail: 'pay@example.com', paymentMethod: 'PAYPAL' }) },
    { payout, affiliate: undefined },
  ];
  const methods = { shares: [], withoutMethod: [], isComplete: true };
  const shown = payoutBatchView(
    programId,
    batch,
    { part: partOf('/batch'), entries, next: undefined },
    { methods, coupon: undefined, createsCodes: false },
  );
  const lines = linesOf(htmlOf(shown));
  const statement = lines.find((line) => line.startsWith('Statement ('));
  expect(lines.slice(lines.indexOf('Amount') + 1)).toEqual([
    `Amara Okafor (/programs/${programId}/affiliates/${affiliate.id})`,
    'pay@example.com',
    'PayPal',
    '2',
    statement,
    '$10.00',
    'Deleted',
    'Unknown',
    'Not set',
    '2',
    '$10.00',
  ]);
  expect(statement).toContain(`batch=${batch.id}`);
  const row = /<tbody><tr>.*?<\/tr>/s.exec(htmlOf(shown))?.[0] ?? '';
  const classes = [...row.matchAll(/<td data-heading="([^"]*)"(?: class="([^"]*)")?>/g)];
  expect(classes.map(([, heading, of]) => [heading, of ?? ''])).toEqual([
    ['Affiliate', ''],
    ['Pay to', 'wide'],
    ['Method', ''],
    ['Sales', 'number desk'],
    ['Statement', ''],
    ['Amount', 'number'],
  ]);
  expect(htmlOf(shown)).toMatch(/<td data-heading="Pay to" class="wide">/);
});

it('the question whether to decline leads back to the applications', () => {
  const { title, trail } = declineView({ session, program }, affiliate, unfilled);
  const path = `/programs/${programId}/affiliates/applications`;
  expect([title, trail]).toEqual(['Decline Amara Okafor?', [{ label: 'Applications', path }]]);
});

describe('a list', () => {
  const filters = {} as Parameters<typeof referralsView>[1];
  const referral = makeStoredReferral({ affiliateId: affiliate.id });

  it('offers its button at the top unless it is empty and offers it in its middle', () => {
    const shown = (items: (typeof referral)[]) =>
      referralsView(program, filters, partOf('/referrals'), pageOf(items), new Map());
    expect(Boolean(shown([]).actions)).toBe(false);
    expect(htmlOf(shown([]))).toContain('No referrals yet');
    expect(Boolean(shown([referral]).actions)).toBe(true);
  });

  it('of which only a part was looked at does not say that there are no records', () => {
    const shown = (next: string | undefined) =>
      htmlOf(promotionalCodesView({ session, program }, {} as never, partOf('/codes'), new Page([], next), now));
    expect(shown(undefined)).toContain('No codes yet');
    expect(shown('position')).not.toContain('No codes yet');
  });

  it.each([
    [recordsInPart, undefined, ''],
    [recordsInPart, 'position', 'Next page'],
    [2, 'position', `2 of these ${recordsInPart} records match. The next page may have more. Next page`],
    [0, 'position', `None of these ${recordsInPart} records match. The next page may have more. Next page`],
  ])('with %i records and the next part at %s says how many match', (shown, next, text) => {
    const html = renderToString(h(Paging, { part: partOf('/list'), next, shown }));
    expect(
      linesOf(html)
        .join(' ')
        .replaceAll(/ \(.*?\)/g, ''),
    ).toBe(text);
  });
});

it('a cell has the classes of its column and no others', () => {
  const columns = [
    { heading: 'Plain', cell: () => 1 },
    { heading: 'Number', isNumber: true, isForDesk: true, cell: () => 1 },
    { heading: 'Wide', isWide: true, cell: () => 1 },
    { heading: 'Action', isAction: true, cell: () => 1 },
  ];
  const html = renderToString(h(Table, { caption: 'All', columns, items: ['a'], keyOf: String, empty: '' }));
  expect(html.match(/<td.*?>/g)).toEqual([
    '<td data-heading="Plain">',
    '<td data-heading="Number" class="number desk">',
    '<td data-heading="Wide" class="wide">',
    '<td data-heading="Action" class="action">',
  ]);
});

describe('a page', () => {
  it('leads to every section of the program, and has the layout of a program only within one', () => {
    const { body = '' } = webResponse(view('Title', 'Content'), frame);
    for (const { label, path } of [...sectionGroups.flatMap(({ sections }) => sections), ...lastSections]) {
      expect(body).toContain(`href="/programs/${programId}${path}"`);
      expect(body).toContain(label.replace('&', '&amp;'));
    }
    expect(body).toContain('<body class="in-program">');
    expect(webResponse(view('Title', 'Content'), { ...frame, program: undefined }).body).toContain('<body>');
  });

  it('sets the cookies that it was given', () => {
    expect(webResponse(view('Title', 'Content', { cookies: ['a=1'] }), frame).cookies).toEqual(['a=1']);
  });

  it('to change a webhook endpoint begins with its description', () => {
    const change = (description: string | null) =>
      htmlOf(webhookChangeView({ session, programId }, makeStoredWebhook({ description }), unfilled));
    expect(change('Of the shop')).toMatch(/name="description"[^>]*value="Of the shop"/);
    expect(change(null)).toMatch(/name="description"[^>]* value\/>/);
  });
});
