import { beforeAll, expect, it, vi } from 'vitest';
import { acceptInvitation, inviteMember } from '../../shared/domain/programs/members.ts';
import { makeBatch, sell } from '../api/payout-calls.ts';
import { type Browser, freshEmail, signedIn } from '../support/browser.ts';
import { type Api, makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';
import { documents, requestOf } from './every-page.ts';
import { makeWebWorld } from './web-world.ts';

let api: Api;
let browser: Browser;
let coupon: { id: string };

const visit = async (path = '') => (await browser.visit(`/programs/${api.programId}/audit-log${path}`)).text;

beforeAll(async () => {
  api = await makeProgram();
  browser = await signedIn(api.ownerEmail);
  coupon = await makeCoupon(api);
  await api.put('/coupons', { couponId: coupon.id, name: 'Summer', maxRedemptions: 100 });
  // The change may be there before the creation.
  await vi.waitFor(async () => expect(await visit()).toMatch(/Summer[\s\S]*Created/), {
    timeout: 30_000,
    interval: 200,
  });
});

it('the page says what was changed, by whom, before and after, with a link to the record', async () => {
  const text = await visit();
  expect(text).toContain(`<a href="/programs/${api.programId}/coupons/${coupon.id}">Coupon Summer</a>`);
  expect(text).toContain('API key First key');
  expect(text).toMatch(/<dt>Name<\/dt><dd><del>Spring<\/del><span> → <\/span><ins>Summer<\/ins>/);
  expect(text).toMatch(/<dt>Max redemptions<\/dt><dd><del>none<\/del><span> → <\/span><ins>100<\/ins>/);
  expect(text).toContain('Created');
});

it('a change names its record, as the record is called now or was when it was deleted', async () => {
  const shop = await makeProgram({ baseUrls: ['https://shop.example.com'] });
  const owner = await signedIn(shop.ownerEmail);
  const affiliate = await makeAffiliate(shop, { firstName: 'Wangari', lastName: 'Maathai' });
  const { id: couponId } = await makeCoupon(shop, { name: 'Gone' });
  const code = await makeCode(shop, couponId, { code: 'WANGARI20' });
  const { body: referral } = await shop.post('/referrals', {
    name: 'Tom Reed',
    email: 'tom@example.net',
    affiliateId: affiliate.id,
  });
  const sale = await sell(shop, affiliate.id, 100);
  await shop.put('/sales', { saleId: sale.id, name: 'Mei Lin' });
  await makeBatch(shop, { name: 'November' });
  const { body: group } = await shop.post('/groups', { name: 'Partners', commissionRate: 25 });
  const { body: webhook } = await shop.post('/webhooks', { url: 'https://example.com/hook', active: false });
  const assets = `/programs/${shop.programId}/assets`;
  await owner.submit(`${assets}/new-text`, { title: 'Short post', text: 'Read this' });
  const [edit = ''] = /\/[0-9a-f-]{36}\/edit/.exec((await owner.visit(assets)).text) ?? [];
  expect((await owner.submit(`${assets}${edit}`, { title: 'Short post', text: 'Read {link}' })).status).toBe(303);
  const changes: [string, object][] = [
    ['/groups', { groupId: group.id, commissionRate: 30 }],
    ['/webhooks', { webhookId: webhook.id, eventTypes: ['sale.created'] }],
    ['/affiliates', { affiliateId: affiliate.id, payoutEmail: 'paid@example.com' }],
    ['/links', { link: affiliate.affiliateLinks[0].link, destinationUrl: 'https://shop.example.com/spring' }],
    ['/coupons', { couponId, maxRedemptions: 7 }],
    ['/promotional-codes', { promotionalCodeId: code.id, active: false }],
    ['/referrals', { referralId: referral.id, plan: 'Pro' }],
  ];
  for (const [path, body] of changes) expect((await shop.put(path, body)).status, path).toBe(200);
  expect((await shop.delete('/coupons', { couponId })).status).toBe(200);
  const titles = async () => {
    const { text } = await owner.visit(`/programs/${shop.programId}/audit-log`);
    return [...text.matchAll(/Changed<\/strong>\s*<(?:a|span)[^>]*>([^<]*)</g)].map(([, title]) => title);
  };
  await vi.waitFor(
    async () =>
      expect(await titles()).toEqual(
        expect.arrayContaining([
          'Affiliate Wangari Maathai',
          `Link ${affiliate.affiliateLinks[0].link}`,
          'Coupon Gone',
          'Code WANGARI20',
          'Referral Tom Reed',
          'Sale Mei Lin',
          'Payout batch November',
          'Group Partners',
          'Webhook endpoint https://example.com/hook',
          'Asset Short post',
        ]),
      ),
    { timeout: 30_000, interval: 500 },
  );
});

it('is filtered by type, by record, by who did it and by day', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const shown = async (query: string) => (await visit(query)).includes('Summer');
  expect(await shown('?recordType=COUPON')).toBe(true);
  expect(await shown('?recordType=SALE')).toBe(false);
  expect(await shown(`?recordId=${coupon.id}&from=${today}`)).toBe(true);
  expect(await shown(`?recordId=${api.programId}`)).toBe(false);
  expect(await shown('?actor=nobody%40example.com')).toBe(false);
  expect(await shown('?to=2020-01-31')).toBe(false);
  expect(await visit('?actor=nobody%40example.com')).toContain('No changes match these filters.');
});

it('is downloaded as CSV, with its filters', async () => {
  const { status, text, headers } = await browser.visit(
    `/programs/${api.programId}/audit-log.csv?recordId=${coupon.id}`,
  );
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  const [head, ...rows] = text.trim().split(/\r?\n/);
  expect(head?.replaceAll('"', '')).toBe(
    'id,createdAt,actorType,actorId,causeActorType,causeActorId,causeRequestId,action,recordType,recordId,changes',
  );
  expect(rows).toHaveLength(2);
  expect(rows[0]).toContain(`,"UPDATED","COUPON","${coupon.id}",`);
});

it('is downloaded by each of its filters', async () => {
  const rowsOf = async (query: string) => {
    const { text } = await browser.visit(`/programs/${api.programId}/audit-log.csv?${query}`);
    return text.trim().split(/\r?\n/).length - 1;
  };
  expect(await rowsOf('')).toBeGreaterThan(await rowsOf('recordType=COUPON'));
  expect(await rowsOf('recordType=COUPON')).toBe(2);
  expect(await rowsOf('actor=nobody%40example.com')).toBe(0);
});

it('is read by viewers, too', async () => {
  const viewer = freshEmail();
  const owner = { id: api.programId, ownerEmail: api.ownerEmail };
  await inviteMember(owner, { email: viewer, role: 'VIEWER', invitedBy: api.ownerEmail }, new Date());
  await acceptInvitation(api.programId, viewer, new Date());
  const theirs = await signedIn(viewer);
  expect((await theirs.visit(`/programs/${api.programId}/audit-log`)).text).toContain('Coupon Summer');
});

it('the page of every record leads to its history', async () => {
  const world = await makeWebWorld('Shop');
  const withoutHistory = ['showEvent', 'showDelivery', 'showInvitation', 'showImport', 'showErasure', 'showUpload'];
  const ofRecords = documents.filter(
    ({ id, path }) => /\{\w+\}$/.test(path) && /\/programs\/.+\//.test(path) && !withoutHistory.includes(id),
  );
  expect(ofRecords.length).toBeGreaterThan(9);
  for (const page of ofRecords) {
    const { text } = await world.browser.visit(requestOf(page, world).address);
    expect(/audit-log\?recordId=([\w-]+)"/.exec(text)?.[1], page.id).toBeDefined();
  }
});
