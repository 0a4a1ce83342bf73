import { beforeAll, describe, expect, it } from 'vitest';
import { makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';
import { makeWorld, type World } from './every-operation.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ isCompared: false, isListed: false });
});

const names: { resource: string; selector: string; name: string; uniqueName: (world: World) => string }[] = [
  { resource: '/affiliates', selector: 'email', name: 'email', uniqueName: ({ affiliate }) => affiliate.email },
  { resource: '/affiliates', selector: 'id', name: 'link', uniqueName: ({ link }) => link.link },
  {
    resource: '/referrals',
    selector: 'externalId',
    name: 'external',
    uniqueName: ({ referral }) => referral.referredUserExternalId,
  },
  { resource: '/sales', selector: 'externalId', name: 'external', uniqueName: ({ sale }) => sale.externalId },
  {
    resource: '/sales',
    selector: 'externalInvoiceId',
    name: 'invoice',
    uniqueName: ({ sale }) => sale.externalInvoiceId,
  },
  { resource: '/links', selector: 'link', name: 'link', uniqueName: ({ link }) => link.link },
  { resource: '/coupons', selector: 'externalId', name: 'external', uniqueName: ({ coupon }) => coupon.externalId },
  { resource: '/promotional-codes', selector: 'code', name: 'code', uniqueName: ({ code }) => code.code },
  {
    resource: '/promotional-codes',
    selector: 'externalId',
    name: 'external',
    uniqueName: ({ code }) => code.externalId,
  },
];

describe.each(names)('GET $resource/$name:…', ({ resource, selector, name, uniqueName }) => {
  it(`returns the record that ?${selector}= selects`, async () => {
    const { get } = world.api;
    const value = encodeURIComponent(uniqueName(world));
    const inPath = await get(`${resource}/${name}:${value}`);
    expect(inPath.status).toBe(200);
    // Their counters follow in the background.
    const { id, createdAt } = (await get(`${resource}?${selector}=${value}`)).body;
    expect(inPath.body).toMatchObject({ id, createdAt });
    expect(inPath.headers.get('etag')).toMatch(/^"[^"]+"$/);
  });

  it('returns 404 for a value that no record has, and for the value under another kind', async () => {
    const { get } = world.api;
    const value = encodeURIComponent(uniqueName(world));
    for (const other of [`${name}:x${value}`, `${name}:`, name, `nonsense:${value}`, `toString:${value}`])
      expect((await get(`${resource}/${other}`)).body, other).toEqual({
        error: expect.stringMatching(/ not found$/),
      });
  });
});

it('reads a referral by its email', async () => {
  const { api, referral } = world;
  expect((await api.get(`/referrals/email:${referral.email}`)).body.id).toBe(referral.id);
});

it('takes a link of an affiliate that has the form of an id for a link', async () => {
  const api = await makeProgram();
  const first = await makeAffiliate(api);
  const second = await makeAffiliate(api, { affiliateLink: first.id });
  expect((await api.get(`/affiliates/link:${first.id}`)).body.id).toBe(second.id);
  expect((await api.get(`/affiliates/${first.id}`)).body.id).toBe(first.id);
});

it('reads a code with characters that a path must escape', async () => {
  const api = await makeProgram();
  const coupon = await makeCoupon(api);
  for (const code of ['50%?', 'a:b', 'ÉTÉ&É', 'a/b', '100%25']) {
    await makeCode(api, coupon.id, { code });
    expect((await api.get(`/promotional-codes/code:${encodeURIComponent(code)}`)).body.code).toBe(code);
  }
});

it('takes no filter and no list parameter beside the id', async () => {
  const { api, sale } = world;
  const { status, body } = await api.get(`/sales/${sale.id}?limit=1`);
  expect({ status, error: body.error }).toEqual({ status: 400, error: expect.stringContaining('limit') });
});
