import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Api, makeAffiliate, makeCode, makeCoupon, makeProgram, request } from '../support/program.ts';
import { connectorUrl, type Platform, platformWith } from './platform.ts';

let api: Api;
let platform: Platform;
let affiliate: { id: string; email: string };
beforeAll(async () => {
  api = await makeProgram();
  platform = platformWith(api.apiKey);
  affiliate = await makeAffiliate(api, { externalId: 'first' });
});

const freshEmail = () => `${randomUUID()}@example.com`;

const responded = async (asking: ReturnType<Platform['get']>) => {
  const { status, body, text } = await asking;
  expect(status, text).toBe(200);
  return body;
};

describe('a record', () => {
  it('is created, changed and deleted as on the main API, from JSON or a form', async () => {
    const made = await responded(
      platform.sendForm('POST', '/affiliates', { email: freshEmail(), firstName: 'Amara', commissionRate: '25' }),
    );
    expect(made).toEqual((await api.get(`/affiliates?id=${made.id}`)).body);
    expect(made.commissionRate).toBe(25);
    const changed = await responded(
      platform.send('PUT', '/affiliates', { affiliateId: made.id, commissionRate: '12.5', firstName: '' }),
    );
    expect(changed).toMatchObject({ commissionRate: 12.5, firstName: 'Amara' });
    const deleted = await responded(platform.sendForm('DELETE', '/affiliates', { affiliateId: made.id }));
    expect(deleted).toEqual({
      message: 'Affiliate deleted',
      deletedAffiliate: { id: made.id, email: made.email },
    });
    expect((await api.get(`/affiliates?id=${made.id}`)).status).toBe(404);
  });

  it('may have absent fields as empty text, unknown ones, and numbers and booleans as text', async () => {
    const sale = await responded(
      platform.send('POST', '/sales', {
        totalEarned: '49.90',
        referralId: affiliate.id,
        email: '',
        promoCode: '',
        externalId: '',
        firstOrder: 'false',
        product: { productId: 'p', name: '', quantity: '2', price: '24.95', color: 'red' },
        metadata: { plan: 'pro', seats: '25', empty: '' },
        zap_id: 7,
      }),
    );
    expect(sale).toMatchObject({
      totalEarned: 49.9,
      externalId: null,
      productsBought: [{ productId: 'p', name: null, quantity: 2, price: 24.95 }],
      metadata: { plan: 'pro', seats: '25' },
    });
    expect(sale.metadata).not.toHaveProperty('empty');
    const changed = await responded(
      platform.sendForm('PUT', `/sales?saleId=${sale.id}`, { totalEarned: '50', metadata: '{"plan":"team"}' }),
    );
    expect(changed).toMatchObject({ totalEarned: 50, metadata: { plan: 'team' } });
    expect(await responded(platform.send('DELETE', `/sales?saleId=${sale.id}`))).toMatchObject({
      deletedSale: { id: sale.id },
    });
  });

  it('of a referral, too, is made, changed and ended by what selects it in the query', async () => {
    const email = freshEmail();
    const referral = await responded(
      platform.sendForm('POST', '/referrals', { name: 'Priya', email, affiliateId: affiliate.id }),
    );
    const query = `?referralId=${referral.id}`;
    expect(await responded(platform.send('PUT', `/referrals${query}`, { plan: 'pro' }))).toMatchObject({ plan: 'pro' });
    expect(
      await responded(platform.send('DELETE', `/referrals?referralId=${encodeURIComponent(email)}`)),
    ).toMatchObject({
      deletedReferral: { id: referral.id },
    });
  });

  it('is sent once with an Idempotency-Key, and its keys are not those of the main API', async () => {
    const body = { email: freshEmail(), firstName: 'Amara' };
    const key = { 'idempotency-key': randomUUID() };
    const made = await api.post('/affiliates', body, key);
    const again = await api.post('/affiliates', body, key);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const elsewhere = await platformWith(api.apiKey).send('POST', '/affiliates', body);
    expect([made.status, again.status, elsewhere.status]).toEqual([200, 200, 400]);
  });
});

describe('a list', () => {
  it('is a bare array, newest first, in pages', async () => {
    const newest = await makeAffiliate(api);
    const first = await platform.get('/affiliates?limit=1&unknown=1&status=');
    expect(first.body).toEqual([(await api.get(`/affiliates?id=${newest.id}`)).body]);
    const next = /<(.+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1];
    expect(next).toContain('/api/automation/affiliates?');
    const rest = await platform.get(new URL(next ?? '').href.split('/api/automation')[1] ?? '');
    expect(rest.body[0].id).not.toBe(newest.id);
  });

  it('is an array of one, or of none, when a selector is given', async () => {
    const [found, gone, both] = await Promise.all([
      platform.get(`/affiliates?email=${encodeURIComponent(affiliate.email)}`),
      platform.get('/affiliates?email=nobody@example.com'),
      platform.get(`/affiliates?id=${affiliate.id}&email=`),
    ]);
    expect(found.body.map(({ id }: { id: string }) => id)).toEqual([affiliate.id]);
    expect(gone).toMatchObject({ status: 200, body: [] });
    expect(both.body).toEqual(found.body);
    for (const path of ['/referrals?id=', '/referrals?externalId=', '/sales?externalId=', '/affiliates?id='])
      expect((await platform.get(path + randomUUID())).body, path).toEqual([]);
    expect((await platform.get('/sales?id=1')).body).toEqual([]);
  });
});

describe('an error', () => {
  const refusals: [string, string, Record<string, unknown> | undefined, number, string][] = [
    ['GET', '/affiliates?limit=many', undefined, 400, 'limit must be a whole number, in decimal digits'],
    ['GET', '/referrals?id=x', undefined, 400, 'id must be a UUID'],
    ['POST', '/affiliates', {}, 400, 'email is required'],
    ['POST', '/sales', { totalEarned: 'much', referralId: 'x' }, 400, 'totalEarned must be a number'],
    ['PUT', '/affiliates', undefined, 400, 'affiliateId or emailAddress is required'],
    ['PUT', '/sales', { saleId: '1', name: 'x' }, 404, 'Sale not found'],
    ['DELETE', '/sales', undefined, 400, 'saleId is required'],
    ['DELETE', '/sales?saleId=1', { saleId: 2 }, 400, 'saleId has one value in the query and another in the body'],
    ['DELETE', '/affiliates', { affiliateId: '0197c1f0-0000-7000-8000-000000000000' }, 404, 'Affiliate not found'],
    ['PATCH', '/sales', { saleId: 1 }, 405, 'PATCH is not available on this path, only GET, POST, PUT, DELETE'],
    ['DELETE', '/nope', undefined, 404, 'This path does not exist. See GET /api/v1/docs or GET /api/v1/openapi.json.'],
  ];

  it.each(refusals)('of %s %s with %j is one sentence', async (method, path, body, status, error) => {
    const response = await platform.send(method, path, body);
    expect({ status: response.status, error: response.body.error }).toEqual({ status, error });
    expect(response.body).not.toHaveProperty('message');
  });

  const form = async (text: string) => outcomeOf(await platform.sendForm('POST', '/affiliates', text));
  const outcomeOf = ({ status, body }: { status: number; body: { error: string } }) => [status, body.error];

  it('names the field of a form', async () => {
    expect(await form('email=a@example.com&email=b@example.com&firstName=A')).toEqual([400, 'email must be a string']);
    expect(await form('email=a@example.com&firstName=%00')).toEqual([400, 'firstName has a NUL character']);
    expect(await form('email=a@example.com&firstName=%ff')).toEqual([400, 'firstName has bytes that are not UTF-8']);
    expect(await form('email=a@example.com&firstName=A&metadata={')).toEqual([400, 'metadata must be an object']);
    expect(await form('__proto__=1&constructor=1&email=')).toEqual([400, 'email is required']);
  });

  it('says how a body can be sent', async () => {
    const headers = { authorization: `Bearer ${api.apiKey}`, 'content-type': 'text/plain' };
    const response = await request('POST', connectorUrl('/affiliates'), { headers, body: 'email=a@example.com' });
    expect(outcomeOf(response)).toEqual([415, 'Send the body as JSON or as an URL-encoded form']);
  });
});

describe('a list for a trigger', () => {
  it('has the redeemed promotional codes, and those that are not', async () => {
    const own = await makeProgram();
    const platform = platformWith(own.apiKey);
    const coupon = await makeCoupon(own);
    const [used, unused] = [await makeCode(own, coupon.id), await makeCode(own, coupon.id)];
    await own.post('/sales', { totalEarned: 10, promoCode: used.code });
    const idsIn = async (query: string) =>
      (await platform.get(`/promotional-codes${query}`)).body.map(({ id }: { id: string }) => id);
    await expect.poll(() => idsIn('?redeemed=true')).toEqual([used.id]);
    expect(await idsIn('?redeemed=false')).toEqual([unused.id]);
    expect(await idsIn('')).toEqual([unused.id, used.id]);
    expect(await idsIn(`?id=${unused.id}`)).toEqual([unused.id]);
    expect((await own.get('/promotional-codes?redeemed=true')).body).toHaveLength(1);
  });

  it('has the payout batches, and one with its payouts', async () => {
    const own = await makeProgram();
    const platform = platformWith(own.apiKey);
    const { id } = (await own.post('/payout-batches', { name: 'October' })).body;
    expect((await platform.get('/payout-batches')).body).toMatchObject([{ id, name: 'October' }]);
    expect((await platform.get(`/payout-batches?id=${id}`)).body).toMatchObject([{ id, payouts: [] }]);
  });
});
