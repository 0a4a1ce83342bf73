import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { type Api, makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';

/** A record to be changed: where to read it, how to change it, and how to delete it. */
interface Subject {
  path: string;
  read: string;
  change: (value: string) => object;
  remove: object;
}

const made = async (api: Api, path: string, body: object) => {
  const response = await api.post(path, body);
  expect(response.status, response.text).toBe(200);
  return response.body;
};

const subjects: Record<string, (api: Api) => Promise<Subject>> = {
  affiliate: async (api) => {
    const { id } = await makeAffiliate(api);
    return {
      path: '/affiliates',
      read: `?id=${id}`,
      change: (firstName) => ({ affiliateId: id, firstName }),
      remove: { affiliateId: id },
    };
  },
  link: async (api) => {
    const { id: affiliateId } = await makeAffiliate(api);
    const { id } = await made(api, '/links', { link: randomUUID(), affiliateId });
    return { path: '/links', read: `?id=${id}`, change: (newLink) => ({ id, newLink }), remove: { id } };
  },
  coupon: async (api) => {
    const { id } = await makeCoupon(api);
    return {
      path: '/coupons',
      read: `?id=${id}`,
      change: (name) => ({ couponId: id, name }),
      remove: { couponId: id },
    };
  },
  'promotional code': async (api) => {
    const { id } = await makeCode(api, (await makeCoupon(api)).id);
    return {
      path: '/promotional-codes',
      read: `?id=${id}`,
      change: (code) => ({ promotionalCodeId: id, code }),
      remove: { promotionalCodeId: id },
    };
  },
  referral: async (api) => {
    const { id: affiliateId } = await makeAffiliate(api);
    const { id } = await made(api, '/referrals', { name: 'Priya', email: `${randomUUID()}@example.com`, affiliateId });
    return {
      path: '/referrals',
      read: `?id=${id}`,
      change: (name) => ({ referralId: id, name }),
      remove: { referralId: id },
    };
  },
  sale: async (api) => {
    const { id: affiliateId } = await makeAffiliate(api);
    const { id } = await made(api, '/sales', { totalEarned: 10, referralId: affiliateId });
    return { path: '/sales', read: `?id=${id}`, change: (name) => ({ saleId: id, name }), remove: { saleId: id } };
  },
  webhook: async (api) => {
    const { id } = await made(api, '/webhooks', { url: 'https://example.com/webhooks', eventTypes: ['link.deleted'] });
    return {
      path: '/webhooks',
      read: `?id=${id}`,
      change: (description) => ({ webhookId: id, description }),
      remove: { webhookId: id },
    };
  },
};

describe.each(Object.entries(subjects))('If-Match on a %s', (_, make) => {
  it('lets a change and a deletion of what was read through, and refuses those of what has changed since', async () => {
    const api = await makeProgram();
    const { path, read, change, remove } = await make(api);
    const first = (await api.get(path + read)).headers.get('etag') ?? '';
    expect(first).toMatch(/^"\d+"$/);
    const changed = await api.put(path, change('first'), { 'if-match': first });
    expect(changed.status, changed.text).toBe(200);
    const second = changed.headers.get('etag') ?? '';
    expect(second).not.toBe(first);

    const before = await api.get(path + read);
    expect(before.headers.get('etag')).toBe(second);
    const refusal = { error: 412, message: 'The record has changed since the ETag in If-Match was read' };
    for (const stale of [first, '"no-version"', `W/${second}`]) {
      expect((await api.put(path, change('second'), { 'if-match': stale })).body).toEqual(refusal);
      expect((await api.delete(path, remove, { 'if-match': stale })).body).toEqual(refusal);
    }
    const after = await api.get(path + read);
    expect([after.text, after.headers.get('etag')]).toEqual([before.text, second]);

    expect((await api.put(path, change('third'), { 'if-match': '*' })).status).toBe(200);
    const third = (await api.get(path + read)).headers.get('etag') ?? '';
    expect((await api.delete(path, remove, { 'if-match': third })).status).toBe(200);
  });

  it('lets exactly one of many changes of the same state through', async () => {
    const api = await makeProgram();
    const { path, read, change } = await make(api);
    const etag = (await api.get(path + read)).headers.get('etag') ?? '';
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => api.put(path, change(randomUUID()), { 'if-match': etag })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(412)]);
  });
});

it('If-Match on a webhook endpoint lets only a deletion of what was read through', async () => {
  const api = await makeProgram();
  const { id } = await made(api, '/webhooks', { url: 'https://example.com/', eventTypes: ['link.deleted'] });
  const read = (await api.get(`/webhooks?id=${id}`)).headers.get('etag') ?? '';
  const stored = await webhooks.get(api.programId, id);
  if (!stored) throw new Error('It was just made');
  await writeTogether(webhooks.updateWrites(api.programId, stored, { ...stored, active: false }));
  const refused = await api.delete('/webhooks', { webhookId: id }, { 'if-match': read });
  expect(refused.body).toEqual({
    error: 412,
    message: 'The record has changed since the ETag in If-Match was read',
  });
  const now = (await api.get(`/webhooks?id=${id}`)).headers.get('etag') ?? '';
  expect((await api.delete('/webhooks', { webhookId: id }, { 'if-match': now })).status).toBe(200);
});

it('redemptions move no ETag, and a new link that of its affiliate alone', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api);
  const coupon = await makeCoupon(api);
  const code = await makeCode(api, coupon.id, { affiliateId: affiliate.id });
  await made(api, '/sales', { totalEarned: 10, promoCode: code.code });
  const paths = [`/affiliates?id=${affiliate.id}`, `/coupons?id=${coupon.id}`, `/promotional-codes?id=${code.id}`];
  const tags = () => Promise.all(paths.map(async (path) => (await api.get(path)).headers.get('etag')));
  expect(await tags()).toEqual(['"1"', '"1"', '"1"']);
  await made(api, '/links', { link: 'another', affiliateId: affiliate.id });
  expect(await tags()).toEqual(['"2"', '"1"', '"1"']);
});
