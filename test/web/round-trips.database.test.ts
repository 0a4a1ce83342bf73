import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { webhookTestEvent } from '../../events/webhook-test.ts';
import { filesBucketVariable } from '../../shared/contract/files.ts';
import { routePathOfPage, type WebPage } from '../../shared/contract/page.ts';
import { links } from '../../shared/domain/affiliates/link-repository.ts';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { createTotalsWrite } from '../../shared/domain/affiliates/totals.ts';
import { createText } from '../../shared/domain/assets/manage-assets.ts';
import { coupons } from '../../shared/domain/coupons/repository.ts';
import { createGroup } from '../../shared/domain/groups/create-group.ts';
import { startErasure } from '../../shared/domain/privacy/start-erasure.ts';
import { createApiKey } from '../../shared/domain/programs/api-keys.ts';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { endAllSessions } from '../../shared/domain/programs/ended-sessions.ts';
import { handleOf } from '../../shared/domain/programs/handles.ts';
import { inviteMember, memberIdOf } from '../../shared/domain/programs/members.ts';
import { deleteProgram } from '../../shared/domain/programs/programs.ts';
import { updateProgram } from '../../shared/domain/programs/update-program.ts';
import { promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import { referrals } from '../../shared/domain/referrals/repository.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import { createUsesWrites } from '../../shared/domain/uses/counters.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { type Write, writeTogether } from '../../shared/platform/table/transaction.ts';
import { startSession } from '../../shared/web/session/session.ts';
import { newDelivery } from '../../shared/webhooks/delivery/delivery-rules.ts';
import { deliveries, events, storedEvent } from '../../shared/webhooks/delivery/repository.ts';
import type { StoredWebhook } from '../../shared/webhooks/endpoints/rules.ts';
import { stubFiles } from '../support/assets.ts';
import {
  at,
  now,
  storeAffiliate,
  storeApplicant,
  storeCode,
  storeCoupon,
  storeLink,
  storeReferral,
  storeSale,
} from '../support/domain.ts';
import { makeDoneExport } from '../support/done-export.ts';
import { makePlannedImport } from '../support/imports.ts';
import { pageHandlers } from '../support/pages.ts';
import { prepareBatch } from '../support/payout-batches.ts';
import { startedPortalCookie } from '../support/portal-pages.ts';
import { testQueues } from '../support/queues.ts';
import { roundTripsOf } from '../support/round-trips.ts';
import { makeStoredSale, storeAll } from '../support/sales.ts';
import {
  makeStoredAffiliate,
  makeStoredCode,
  makeStoredCoupon,
  makeStoredLink,
  makeStoredReferral,
} from '../support/stored-records.ts';
import { storeDelivery, storeProgram, storeWebhook } from '../support/webhooks.ts';
import { documents, requestOf } from './every-page.ts';
import type { WebWorld } from './web-world.ts';

// How long a person waits for a page is how often the page waits for the tables.

testQueues();

/** In one part of a list. */
const shown = 50;
let program: Awaited<ReturnType<typeof storeProgram>>;
let ids: WebWorld['ids'];
let cookie: string;
let portalCookie: string;
let affiliateEmail: string;
const customer = 'priya@example.net';

const makeTest = (webhook: StoredWebhook) => {
  const made = webhookTestEvent(newRecordId(new Date()), webhook.id, null, new Date());
  return { event: storedEvent(made), delivery: newDelivery(made, webhook) };
};

const fresh = () => ({ id: newRecordId(now), createdAt: at(0), updatedAt: at(0) });
const newEmail = () => `${randomUUID()}@example.com`;

/** The writes that create one record of each kind for an affiliate. */
const writesOf = (affiliateId: string): Write[] => {
  const { id: programId } = program;
  const coupon = makeStoredCoupon(fresh());
  const code = makeStoredCode({ ...fresh(), code: randomUUID(), couponId: coupon.id, affiliateId });
  const sale = makeStoredSale(affiliateId, { createdAt: at(0), email: customer, name: 'Priya' });
  return [
    ...sales.createWrites(programId, sale),
    ...referrals.createWrites(programId, makeStoredReferral({ ...fresh(), email: newEmail(), affiliateId })),
    ...links.createWrites(programId, makeStoredLink({ ...fresh(), link: randomUUID(), affiliateId })),
    ...coupons.createWrites(programId, coupon),
    ...createUsesWrites(programId, 'COUPON', coupon),
    ...promotionalCodes.createWrites(programId, code),
    ...createUsesWrites(programId, 'PROMOTIONAL_CODE', code),
  ];
};

/** More than one part of each list, and of each kind one record that has all that a page can show. */
const makeWorld = async () => {
  const terms = { name: 'Partners', commissionRate: 25, productRules: [], tiers: [], holdDays: 0 };
  const group = await createGroup(program, terms, now);
  const [affiliate, gone, coupon] = await Promise.all([
    storeAffiliate(program, { status: 'INACTIVE', groupId: group.id }),
    storeAffiliate(program),
    storeCoupon(program),
  ]);
  affiliateEmail = affiliate.email;
  const link = await storeLink(program, { affiliateId: affiliate.id });
  const ofAffiliate = { affiliateId: affiliate.id, affiliateLinkId: link.id };
  const code = await storeCode(program, coupon, { affiliateId: affiliate.id });
  const referral = await storeReferral(program, ofAffiliate);
  const sale = await storeSale(program, affiliate.id, {
    referralId: referral.id,
    promotionalCodeId: code.id,
    createdAt: at(-1000),
  });
  const batch = await prepareBatch(program);
  const others = [
    gone,
    ...Array.from({ length: shown + 9 }, () => makeStoredAffiliate({ ...fresh(), email: newEmail() })),
  ];
  await storeAll(
    others
      .slice(1)
      .flatMap((other) => [...affiliates.createWrites(program.id, other), createTotalsWrite(program.id, other.id)]),
  );
  await storeAll(others.flatMap(({ id }) => writesOf(id)));
  await writeTogether(affiliates.deleteWrites(program.id, gone));
  await writeTogether([affiliates.tombstoneWrite(program.id, gone, now)]);
  const webhook = await storeWebhook(program.id);
  const { delivery } = await storeDelivery(program.id, webhook, { createdAt: new Date().toISOString() });
  const { delivery: sent, event } = makeTest(webhook);
  await writeTogether([...events.createWrites(program.id, event), ...deliveries.createWrites(program.id, sent)]);
  const { keyId } = await createApiKey(program.id, 'Key', now);
  await connectorToken(program.id, 'platform.example', now);
  await inviteMember(program, { email: 'm@example.com', role: 'VIEWER', invitedBy: program.ownerEmail }, now);
  return {
    keyId,
    memberId: memberIdOf('m@example.com'),
    invitationId: randomUUID(),
    webhookId: webhook.id,
    deliveryId: delivery.id,
    eventId: event.id,
    payoutBatchId: batch.id,
    linkId: link.id,
    affiliateId: affiliate.id,
    applicantId: (await storeApplicant(program)).id,
    groupId: group.id,
    couponId: coupon.id,
    promotionalCodeId: code.id,
    referralId: referral.id,
    saleNumber: String(Number(sale.id)),
    assetId: (await createText(program.id, { title: 'Hello', text: 'Look: {link}' }, now)).id,
    uploadId: randomUUID(),
    exportId: (await makeDoneExport(program.id)).id,
    importId: await makePlannedImport(program.id, 'file.csv', new Date()),
    erasureId: (await startErasure(program.id, newEmail(), now)).id,
  };
};

const environment = {
  APP_URL: 'http://127.0.0.1:1',
  CURSOR_KEY: 'the key of the tests',
  CONNECTOR_PLATFORM: 'automation',
  CONNECT_HOSTS: '127.0.0.1',
  FORM_LIMIT: '60000',
  [filesBucketVariable]: 'files',
};
beforeEach(() => {
  stubFiles();
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

beforeAll(async () => {
  vi.stubEnv('APP_URL', environment.APP_URL);
  program = await storeProgram();
  ids = await makeWorld();
  cookie = (await startSession(program.ownerEmail, new Date())).split(';')[0] ?? '';
  portalCookie = await startedPortalCookie(program.id, ids.affiliateId);
});
const open = async (page: WebPage, address: string) => {
  const { pathname, search } = new URL(address, 'http://127.0.0.1:1');
  const route = routePathOfPage(page);
  const names = [...route.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => name ?? '');
  const form = route.replace('{page+}', '(.+)').replaceAll(/\{\w+\}/g, '([^/]+)');
  const values = new RegExp(`^${form}$`).exec(pathname)?.slice(1) ?? [];
  const event = {
    routeKey: `GET ${route}`,
    rawPath: pathname,
    rawQueryString: search.slice(1),
    pathParameters: Object.fromEntries(names.map((name, at) => [name, values[at]])),
    headers: {},
    cookies: [cookie, portalCookie],
    requestContext: { requestId: 'x', http: { method: 'GET', path: pathname } },
  };
  const { statusCode, body } = (await pageHandlers[page.function]?.(event as never, {} as Context)) ?? {};
  return { statusCode, body: String(body) };
};

const needsSession = documents.filter(({ auth, id }) => auth !== 'none' || id === 'chooseProgram');

const expectFewTrips = async (page: WebPage, address: string): Promise<void> => {
  // A function that runs has read its secrets.
  expect((await open(page, address)).statusCode).toBe(200);
  const { trips } = await roundTripsOf(() => open(page, address));
  expect(trips.length, JSON.stringify(trips)).toBeLessThanOrEqual(3);
};

describe.each(needsSession)('$id', (page) => {
  it('waits for the tables three times at most', async () => {
    const { address } = requestOf(page, {
      email: '',
      browser: {} as never,
      programId: program.id,
      handle: handleOf(program),
      portalToken: 'x',
      payoutToken: 'x',
      ids,
    });
    await expectFewTrips(page, address);
    if (page.id === 'showStatement') await expectFewTrips(page, `${address}&batch=${ids.payoutBatchId}`);
  });
});

const withAffiliate = (others: string): string => `affiliateEmail=${affiliateEmail}${others}`;

/** What people enter into the filters of each list. */
const filters = (): Record<string, readonly string[]> => ({
  affiliates: ['', 'search=amara', 'status=ACTIVE', 'sort=oldest', 'sort=email', 'from=2026-01-01'],
  links: ['', 'search=a', 'sort=link', ...['', '&search=a', '&sort=link'].map(withAffiliate)],
  sales: [
    '',
    'status=ACTIVE',
    'search=priya',
    'reference=1',
    'sort=oldest',
    ...['', '&search=priya', '&reference=1'].map(withAffiliate),
  ],
  referrals: ['', 'status=ACTIVE', 'email=a', 'sort=email', ...['', '&email=a', '&sort=email'].map(withAffiliate)],
  'promotional-codes': [
    '',
    'state=active',
    'state=inactive',
    'code=a',
    'sort=code',
    ...['', '&code=a', '&sort=code'].map(withAffiliate),
  ],
  coupons: ['', 'name=Spring', 'couponType=FLAT', 'sort=oldest'],
  'payout-batches': ['', 'status=READY', 'sort=oldest'],
});

it.each(Object.keys(filters()))(
  'the list of %s reads no more than it shows and one part, under any filter',
  async (list) => {
    const path = `/programs/${program.id}/${list}`;
    const page = documents.find((one) => one.path === `/programs/{programId}/${list}`);
    for (const query of filters()[list] ?? []) {
      const { trips, found } = await roundTripsOf(async () => {
        expect(page && (await open(page, `${path}?${query}`)).statusCode, query).toBe(200);
      });
      expect(trips.length, `${query}: ${JSON.stringify(trips)}`).toBeLessThanOrEqual(3);
      // One more tells whether there is a next part. The groups are choices of a filter.
      const listed = found.filter((partition) => !partition.endsWith('#GROUP'));
      expect(listed.length, query).toBeLessThanOrEqual(2 * shown + 1);
    }
  },
);

it('a function that remembers who asks shows what is there now, and nothing to who may not see it any more', async () => {
  const other = await storeProgram();
  const path = `/programs/${other.id}`;
  const page = needsSession.find(({ id }) => id === 'showProgram') as WebPage;
  const ownersCookie = cookie;
  cookie = (await startSession(other.ownerEmail, new Date())).split(';')[0] ?? '';
  expect((await open(page, path)).body).toContain('Acme');
  const edit = { name: 'Renamed', baseUrls: [], allowSelfReferral: false, currency: 'USD', commissionRate: 20 };
  await updateProgram(other.id, edit, now);
  const { body } = await open(page, path);
  expect(body).toContain('Renamed');
  expect(body).not.toContain('Acme');
  await deleteProgram(other.id);
  expect((await open(page, path)).statusCode).toBe(404);
  await endAllSessions(other.ownerEmail, new Date());
  expect((await open(page, path)).statusCode).toBe(303);
  cookie = ownersCookie;
});
