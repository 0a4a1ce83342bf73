import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { events } from '../../shared/webhooks/delivery/repository.ts';
import { type Api, makeAffiliate, makeCode, makeCoupon, makeProgram, type ResponseBody } from '../support/program.ts';

let api: Api;
let couponId: string;
beforeAll(async () => {
  api = await makeProgram();
  couponId = (await makeCoupon(api)).id;
});

const atOnce = (count: number, send: (at: number) => Promise<ResponseBody>) =>
  Promise.all(Array.from({ length: count }, (_, at) => send(at)));

const tally = (responses: readonly ResponseBody[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const eventsAbout = async (text: string) => {
  const { items, next } = await events.page(api.programId, { limit: 1000 });
  if (next) throw new Error('More events than this test looks at');
  return items.filter(({ body }) => body.includes(text)).map(({ type }) => type);
};

/** Expects exactly these types of event, also after a coupon that was created later has its event. */
const expectEvents = async (text: string, types: readonly string[]) => {
  // Events of one record may appear in any order.
  await expect.poll(async () => (await eventsAbout(text)).toSorted()).toEqual(types);
  const { id } = await makeCoupon(api);
  await expect.poll(() => eventsAbout(id)).toEqual(['coupon.created']);
  expect((await eventsAbout(text)).toSorted()).toEqual(types);
};

describe('requests at the same moment', () => {
  it('make one code of sixty that are the same, and one event', async () => {
    const code = `RACE-${randomUUID()}`;
    const responses = await atOnce(60, () => api.post('/promotional-codes', { couponId, code }));
    expect(tally(responses)).toEqual({ 200: 1, 400: 59 });
    const sentences = responses.filter(({ status }) => status === 400).map(({ body }) => body.error);
    expect(new Set(sentences)).toEqual(new Set([`The code ${code} already exists in this program`]));
    const winner = responses.find(({ status }) => status === 200)?.body;
    expect((await api.get(`/promotional-codes?code=${code}`)).body).toEqual(winner);
    const { body } = await api.get(`/promotional-codes?couponId=${couponId}&limit=100`);
    expect(body.filter((one: { code: string }) => one.code === code)).toHaveLength(1);
    await expectEvents(code, ['promotional_code.created']);
  });

  it('make one affiliate of an email, with one link', async () => {
    const email = `${randomUUID()}@example.com`;
    const firstName = `Race${randomUUID()}`;
    const responses = await atOnce(30, () => api.post('/affiliates', { email, firstName }));
    expect(tally(responses)).toEqual({ 200: 1, 400: 29 });
    expect((await api.get(`/affiliates?search=${firstName}`)).body).toHaveLength(1);
    expect((await api.get(`/affiliates?id=${firstName.toLowerCase()}-2`)).status).toBe(404);
    await expectEvents(email, ['affiliate.created', 'link.created']);
  });

  it('make one coupon of an externalId', async () => {
    const externalId = randomUUID();
    const responses = await atOnce(30, () => api.post('/coupons', { name: 'Race', percentOff: 5, externalId }));
    expect(tally(responses)).toEqual({ 200: 1, 400: 29 });
    expect((await api.get('/coupons?name=Race')).body).toHaveLength(1);
    await expectEvents(externalId, ['coupon.created']);
  });

  it('give every affiliate of one name a link of its own', async () => {
    const firstName = `Same${randomUUID()}`;
    const responses = await atOnce(12, () =>
      api.post('/affiliates', { email: `${randomUUID()}@example.com`, firstName }),
    );
    expect(tally(responses)).toEqual({ 200: 12 });
    expect(new Set(responses.map(({ body }) => body.affiliateLinks[0].link)).size).toBe(12);
  });

  it('delete a code once, with one event, and free it once', async () => {
    const { id, code } = await makeCode(api, couponId);
    const deletions = await atOnce(10, () => api.delete('/promotional-codes', { promotionalCodeId: id }));
    expect(tally(deletions)).toEqual({ 200: 1, 404: 9 });
    const creations = await atOnce(10, () => api.post('/promotional-codes', { couponId, code }));
    expect(tally(creations)).toEqual({ 200: 1, 400: 9 });
    await expectEvents(code, ['promotional_code.created', 'promotional_code.created', 'promotional_code.deleted']);
  });

  it('keep a code whole that is created and deleted again and again', async () => {
    const code = `AGAIN-${randomUUID()}`;
    const { id: affiliateId } = await makeAffiliate(api);
    const round = async () => {
      const { status, body } = await api.post('/promotional-codes', { couponId, code, affiliateId });
      if (status !== 200) return status;
      return (await api.delete('/promotional-codes', { promotionalCodeId: body.id })).status;
    };
    const statuses = await Promise.all(Array.from({ length: 20 }, round));
    expect(statuses.filter((status) => status !== 200 && status !== 400)).toEqual([]);
    expect((await api.get(`/promotional-codes?code=${code}`)).status).toBe(404);
    expect((await api.get(`/promotional-codes?affiliateId=${affiliateId}`)).body).toEqual([]);
    await makeCode(api, couponId, { code });
  });
});
