import { beforeAll, describe, expect, it } from 'vitest';
import { getProgram } from '../../shared/domain/programs/repository.ts';
import { createClickId } from '../../shared/domain/tracking/click-id.ts';
import { eventsUntil, eventually } from '../support/events.ts';
import { type Api, makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';

interface Owner {
  id: string;
  linkId: string;
  clickId: string;
}

let api: Api;
let amara: Owner;
let tom: Owner;

const clickOf = async (of: Api, linkId: string, at = new Date(), host: string | null = null) =>
  createClickId(await getProgram(of.programId), linkId, at, host);

const ownerOf = async (of: Api, link: string): Promise<Owner> => {
  const { id, affiliateLinks } = await makeAffiliate(of, { affiliateLink: link });
  return { id, linkId: affiliateLinks[0].id, clickId: await clickOf(of, affiliateLinks[0].id) };
};

beforeAll(async () => {
  api = await makeProgram({ baseUrls: ['https://shop.example/'] });
  [amara, tom] = [await ownerOf(api, 'amara'), await ownerOf(api, 'tom')];
});

const days = 24 * 60 * 60 * 1000;
const sell = (body: object) => api.post('/sales', { totalEarned: 50, ...body });

describe('a sale', () => {
  it('is credited to the link that was clicked, and says so, in its event too', async () => {
    const clickId = await clickOf(api, amara.linkId, new Date(), 'blog.example');
    const { status, body } = await sell({ clickId, email: 'new@example.com' });
    expect(status).toBe(200);
    const attribution = {
      via: 'CLICK',
      affiliateLinkId: amara.linkId,
      promotionalCodeId: null,
      clickedAt: expect.stringMatching(/^\d{4}-/),
    };
    expect(body).toMatchObject({
      affiliateId: amara.id,
      affiliateLinkId: amara.linkId,
      commissionEarned: 10,
      attribution,
    });
    expect(Object.keys(body.attribution).sort()).toEqual(Object.keys(attribution).sort());
    expect(body).not.toHaveProperty('referringHost');
    const [event] = await eventsUntil(api.programId, 'sale.created', 1);
    expect(event?.data.attribution).toMatchObject({ via: 'CLICK' });
    await eventually(
      'the link counts it',
      async () => (await api.get('/links?link=amara')).body.sales > 0 || undefined,
    );
  });

  it('of a customer stays with the affiliate who brought them, by email and by their id', async () => {
    await api.post('/referrals', {
      name: 'Priya',
      email: 'priya@example.com',
      referredUserExternalId: 'user-7',
      affiliateId: amara.id,
    });
    for (const customer of [{ email: 'priya@example.com' }, { customerId: 'user-7' }]) {
      const { body } = await sell({ ...customer, clickId: tom.clickId });
      expect([body.affiliateId, body.attribution.via]).toEqual([amara.id, 'CUSTOMER']);
    }
  });

  it('with a code is credited to the affiliate of the code, and with a code of nobody to the click', async () => {
    const coupon = await makeCoupon(api);
    const { code } = await makeCode(api, coupon.id, { affiliateId: tom.id });
    const { code: ofNobody } = await makeCode(api, coupon.id);
    const byCode = await sell({ promoCode: code, clickId: amara.clickId });
    expect([byCode.body.affiliateId, byCode.body.attribution.via]).toEqual([tom.id, 'CODE']);
    const byClick = await sell({ promoCode: ofNobody, clickId: amara.clickId });
    expect([byClick.body.affiliateId, byClick.body.attribution.via]).toEqual([amara.id, 'CLICK']);
  });

  it('says why it was credited where something else was named', async () => {
    const { body: referral } = await api.post('/referrals', { name: 'N', email: 'n@example.com', affiliateId: 'tom' });
    expect(referral.attribution).toMatchObject({ via: 'LINK', affiliateLinkId: tom.linkId });
    const via = async (body: object) => (await sell(body)).body.attribution.via;
    expect(await via({ referralId: referral.id })).toBe('REFERRAL');
    expect(await via({ referralId: amara.id })).toBe('MANUAL');
    expect(await via({ referralId: 'amara' })).toBe('LINK');
    expect(await via({ email: 'n@example.com' })).toBe('CUSTOMER');
  });
});

it('a referral is credited to the link that was clicked', async () => {
  const { status, body } = await api.post('/referrals', { name: 'Jo', email: 'jo@example.com', clickId: tom.clickId });
  expect(status).toBe(200);
  expect(body).toMatchObject({ affiliateId: tom.id, affiliateLinkId: tom.linkId, referralMedium: 'LINK' });
  expect(body.attribution.via).toBe('CLICK');
});

describe('a click that is refused', () => {
  it('is forged, altered, of another program, of a link that is gone, from the future or too old: nothing is written', async () => {
    const other = await makeProgram();
    const theirs = await ownerOf(other, 'theirs');
    const gone = await ownerOf(api, 'gone');
    await api.delete('/links', { link: 'gone' });
    const { clickId } = amara;
    const at = 40;
    const altered = `${clickId.slice(0, at)}${clickId[at] === 'A' ? 'B' : 'A'}${clickId.slice(at + 1)}`;
    const fromBlog = Buffer.from(await clickOf(api, amara.linkId, new Date(), 'blog.example'), 'base64url');
    const alteredHost = Buffer.from(fromBlog.toString('latin1').replace('blog', 'news'), 'latin1').toString(
      'base64url',
    );
    const invalid = {
      forged: 'x'.repeat(clickId.length),
      short: clickId.slice(0, -1),
      altered,
      'altered in its host': alteredHost,
      'with another end': `${clickId.slice(0, -1)}${clickId.at(-1) === 'A' ? 'B' : 'A'}`,
      'of another program': theirs.clickId,
      'of a link that is gone': gone.clickId,
      'from the future': await clickOf(api, amara.linkId, new Date(Date.now() + days)),
    };
    const old = await clickOf(api, amara.linkId, new Date(Date.now() - 61 * days));
    const cases = [
      ...Object.entries(invalid).map(([name, value]) => [name, value, 'click_invalid'] as const),
      ['expired', old, 'click_expired'] as const,
    ];
    const countSales = async () => (await api.get('/sales?limit=100')).body.length;
    const before = await countSales();
    for (const [name, value, code] of cases) {
      const sale = await sell({ clickId: value });
      expect([name, sale.status, sale.body.details?.[0]]).toEqual([
        name,
        400,
        { path: 'clickId', code, message: expect.any(String) },
      ]);
      const referral = await api.post('/referrals', { name: 'X', email: 'x@example.com', clickId: value });
      expect([name, referral.status, referral.body.details?.[0].code]).toEqual([name, 400, code]);
    }
    expect(await countSales()).toBe(before);
    expect((await api.get('/referrals/email:x@example.com')).status).toBe(404);
  });

  it('is that of an affiliate who is not active', async () => {
    const banned = await ownerOf(api, 'banned');
    await api.put('/affiliates', { affiliateId: banned.id, status: 'banned' });
    expect((await sell({ clickId: banned.clickId })).body.details[0]).toMatchObject({
      path: 'clickId',
      code: 'affiliate_not_active',
    });
  });

  it('decides nothing where it is too old and somebody else is credited', async () => {
    const old = await clickOf(api, amara.linkId, new Date(Date.now() - 61 * days));
    const { status, body } = await sell({ referralId: tom.id, clickId: old });
    expect([status, body.affiliateId]).toEqual([200, tom.id]);
  });
});
