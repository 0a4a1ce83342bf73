import { beforeAll, expect, it, vi } from 'vitest';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { findConnection } from '../../shared/domain/programs/repository.ts';
import { platformWith } from '../connector/platform.ts';
import { signedIn } from '../support/browser.ts';
import { type Api, makeAffiliate, makeCoupon, makeProgram } from '../support/program.ts';

let api: Api;
beforeAll(async () => {
  api = await makeProgram();
});

interface Entry {
  id: string;
  createdAt: string;
  actor: { type: string; id: string } | null;
  cause: { requestId: string | null; actor: { type: string; id: string } | null } | null;
  action: string;
  recordType: string;
  recordId: string;
  changes: Record<string, { from: unknown; to: unknown }>;
}

/** The entries of a record, newest first, once there are so many. */
const entriesOf = async (recordId: unknown, count: number, filters = ''): Promise<Entry[]> => {
  const read = async (): Promise<Entry[]> => (await api.get(`/audit-log?recordId=${recordId}${filters}`)).body;
  await vi.waitFor(async () => expect(await read()).toHaveLength(count), { timeout: 30_000, interval: 100 });
  return read();
};

it('a sale that is created, edited and deleted has three entries, each with its actor, its request and what changed', async () => {
  const affiliate = await makeAffiliate(api);
  const created = await api.post('/sales', { totalEarned: 10, referralId: affiliate.id, externalId: 'order-1' });
  const { id } = created.body;
  const edited = await api.put('/sales', { saleId: id, totalEarned: 20 });
  const browser = await signedIn(api.ownerEmail);
  await browser.submit(`/programs/${api.programId}/sales/${id}/delete`);
  const [deletion, edit, creation] = await entriesOf(id, 3);
  const byKey = { type: 'API_KEY', id: expect.any(String) };
  const ofRecord = { recordType: 'SALE', recordId: String(id) };
  expect(creation).toMatchObject({
    ...ofRecord,
    createdAt: created.body.createdAt,
    action: 'CREATED',
    actor: byKey,
    cause: { requestId: created.headers.get('x-request-id'), actor: byKey },
    changes: { totalEarned: { from: null, to: 10 }, externalId: { from: null, to: 'order-1' } },
  });
  expect(edit).toMatchObject({
    ...ofRecord,
    createdAt: edited.body.updatedAt,
    action: 'UPDATED',
    cause: { requestId: edited.headers.get('x-request-id'), actor: byKey },
  });
  expect(edit?.changes).toEqual({ totalEarned: { from: 10, to: 20 }, commissionEarned: { from: 2, to: 4 } });
  const byPerson = { type: 'MEMBER', id: api.ownerEmail };
  expect(deletion).toMatchObject({
    ...ofRecord,
    action: 'DELETED',
    actor: byPerson,
    cause: { requestId: expect.any(String), actor: byPerson },
    changes: { totalEarned: { from: 20, to: null } },
  });
  expect((await api.get(`/audit-log/${edit?.id}`)).body).toEqual(edit);
});

it('what a worker changes names the worker and the request that caused it', async () => {
  const affiliate = await makeAffiliate(api);
  const { body: referral } = await api.post('/referrals', {
    name: 'Priya',
    email: 'priya@example.com',
    affiliateId: affiliate.id,
  });
  const { body: sale } = await api.post('/sales', { totalEarned: 10, referralId: referral.id });
  const deleted = await api.delete('/affiliates', { affiliateId: affiliate.id });
  const cause = { requestId: deleted.headers.get('x-request-id'), actor: { type: 'API_KEY', id: expect.any(String) } };
  const worker = { type: 'SYSTEM', id: 'finish-deletion' };
  const link = affiliate.affiliateLinks[0];
  for (const { id } of [referral, sale, link])
    expect((await entriesOf(id, 2))[0]).toMatchObject({ action: 'DELETED', actor: worker, cause });
  expect((await entriesOf(affiliate.id, 2))[0]).toMatchObject({ action: 'DELETED', actor: cause.actor, cause });

  const coupon = await makeCoupon(api, {
    autoCouponRule: { enabled: true, codeStructure: { firstName: true, randomChars: true } },
  });
  const made = await api.post('/affiliates', { email: 'auto@example.com', firstName: 'Auto' });
  const find = async (): Promise<Entry[]> =>
    (await api.get('/audit-log?recordType=PROMOTIONAL_CODE&actor=create-automatic-codes')).body;
  await vi.waitFor(async () => expect(await find()).toHaveLength(1), { timeout: 30_000, interval: 100 });
  expect((await find())[0]).toMatchObject({
    action: 'CREATED',
    cause: { requestId: made.headers.get('x-request-id') },
    changes: { couponId: { from: null, to: coupon.id } },
  });
});

it('settings, keys, members, endpoints and connections are in it, and no secret is', async () => {
  const browser = await signedIn(api.ownerEmail);
  const base = `/programs/${api.programId}`;
  const endpoint = await api.post('/webhooks', { url: 'https://example.com/hook', eventTypes: ['*'] });
  const rotated = await api.post('/webhooks/rotate-secret', { webhookId: endpoint.body.id });
  const [rotation, creation] = await entriesOf(endpoint.body.id, 2);
  expect(creation).toMatchObject({
    recordType: 'WEBHOOK',
    action: 'CREATED',
    changes: { url: { from: null, to: 'https://example.com/hook' } },
  });
  expect(Object.keys(rotation?.changes ?? {})).toEqual(['secretSetAt']);

  const key = await browser.submit(`${base}/settings/advanced/api-keys`, { name: 'Shop' });
  expect(key.status, key.text).toBeLessThan(400);
  await browser.submit(`${base}/settings/members`, { email: 'mira@example.com', role: 'VIEWER' });
  const token = await connectorToken(api.programId, 'platform.example', new Date());
  const connection = await findConnection(api.programId);
  const subscribed = await platformWith(token).send('POST', '/webhooks', {
    url: 'https://example.com/subscription',
    eventTypes: ['sale.created'],
  });
  const all = async (): Promise<Entry[]> => (await api.get('/audit-log?limit=100')).body;
  const byType = async () => Map.groupBy(await all(), ({ recordType }) => recordType);
  await vi.waitFor(
    async () => {
      const found = await byType();
      expect(found.get('API_KEY')).toHaveLength(2);
      expect(found.get('MEMBER')).toHaveLength(1);
      expect(found.get('CONNECTION')).toHaveLength(1);
      expect(found.get('SUBSCRIPTION')).toHaveLength(1);
    },
    { timeout: 30_000, interval: 100 },
  );
  const found = await byType();
  expect(found.get('API_KEY')?.[0]).toMatchObject({
    actor: { type: 'MEMBER', id: api.ownerEmail },
    changes: { name: { from: null, to: 'Shop' } },
  });
  expect(found.get('MEMBER')?.[0]?.changes).toMatchObject({
    email: { to: 'mira@example.com' },
    role: { to: 'VIEWER' },
  });
  expect(found.get('SUBSCRIPTION')?.[0]?.actor).toEqual({ type: 'CONNECTED_APP', id: connection?.id });
  const text = JSON.stringify(await all());
  for (const secret of [api.apiKey, token, endpoint.body.secret, rotated.body.secret, subscribed.body.secret])
    expect(text).not.toContain(secret);
});
