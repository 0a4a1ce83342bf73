import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { withTotals } from '../../shared/domain/affiliates/totals.ts';
import { codesOfLink } from '../../shared/domain/promotional-codes/link-connections.ts';
import { referrals } from '../../shared/domain/referrals/repository.ts';
import { adjustments } from '../../shared/domain/sales/adjustments.ts';
import { sales, salesOfAffiliate } from '../../shared/domain/sales/repository.ts';
import { deployedName } from '../../shared/platform/table/deployed-name.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { firstMessage, workOnDeletion } from '../support/deletions.ts';
import { eventCounts, eventsUntil, eventually } from '../support/events.ts';
import { type Api, makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';
import { makeStoredSale, storeAll, storeSales } from '../support/sales.ts';
import { makeStoredReferral } from '../support/stored-records.ts';

const cascadeMilliseconds = 60_000;

const post = async (api: Api, path: string, body: object) => {
  const response = await api.post(path, body);
  expect(response.status, response.text).toBe(200);
  return response.body;
};

const makeReferral = (api: Api, affiliateId: string) =>
  post(api, '/referrals', { name: 'Priya Sharma', email: `referral-${randomUUID()}@example.com`, affiliateId });

const sell = (api: Api, referralId: string) => post(api, '/sales', { totalEarned: 100, referralId });

const makeCodes = async (api: Api, couponId: string, count: number): Promise<void> => {
  for (let made = 0; made < count; made += 100) {
    const length = Math.min(100, count - made);
    const promotionalCodes = Array.from({ length }, () => ({ couponId, code: randomUUID() }));
    await post(api, '/promotional-codes/bulk', { promotionalCodes });
  }
};

/** Pays everything that is owed now. */
const payAll = async (api: Api): Promise<void> => {
  const { id } = await post(api, '/payout-batches', {});
  await eventually(
    'a batch that is ready',
    async () => (await api.get(`/payout-batches?id=${id}`)).body.status === 'READY',
  );
  expect((await api.put('/payout-batches', { payoutBatchId: id, status: 'PAID' })).status).toBe(200);
  await eventually('paid sales', async () => {
    const { body } = await api.get(`/sales?payoutBatchId=${id}`);
    return body.length > 0 && body.every(({ paidAt }: { paidAt: string | null }) => paidAt !== null);
  });
};

const isGone = (api: Api, path: string) => async () => (await api.get(path)).status === 404;

describe('a deleted coupon', () => {
  it('takes more codes with it than one step does, each with its event and its coupon in it', async () => {
    const api = await makeProgram();
    const coupon = await makeCoupon(api);
    const other = await makeCode(api, (await makeCoupon(api, { name: 'Stays' })).id);
    await makeCodes(api, coupon.id, 101);
    expect((await api.delete('/coupons', { couponId: coupon.id })).status).toBe(200);
    const left = async () => (await api.get(`/promotional-codes?couponId=${coupon.id}`)).body.length === 0;
    await eventually('all codes gone', left, cascadeMilliseconds);
    const deleted = await eventsUntil(api.programId, 'promotional_code.deleted', 101, cascadeMilliseconds);
    expect(new Set(deleted.map(({ data }) => data.code)).size).toBe(101);
    for (const { data } of deleted) expect(data.coupon).toMatchObject({ id: coupon.id, name: 'Spring' });
    expect((await api.get('/promotional-codes')).body).toEqual([other]);
    await eventsUntil(api.programId, 'coupon.deleted', 1);
    expect(await eventCounts(api.programId)).toMatchObject({ 'coupon.deleted': 1, 'promotional_code.deleted': 101 });
  }, 120_000);

  it('never leaves an orphan, whenever codes are created beside its deletion', async () => {
    const api = await makeProgram();
    const { id: couponId } = await makeCoupon(api);
    const first = await makeCode(api, couponId);
    const creations = Array.from({ length: 12 }, () =>
      api.post('/promotional-codes', { couponId, code: randomUUID() }),
    );
    const [response, ...created] = await Promise.all([api.delete('/coupons', { couponId }), ...creations]);
    expect(response.status).toBe(200);
    for (const { status } of created) expect([200, 404]).toContain(status);
    const made = [first.id, ...created.filter(({ status }) => status === 200).map(({ body }) => body.id)];
    for (const id of made)
      await eventually('the code gone', isGone(api, `/promotional-codes?id=${id}`), cascadeMilliseconds);
    const deleted = await eventsUntil(api.programId, 'promotional_code.deleted', made.length);
    expect(deleted.map(({ data }) => data.id).sort()).toEqual(made.sort());
    expect(await eventsUntil(api.programId, 'promotional_code.created', made.length)).toHaveLength(made.length);
  }, 150_000);
});

describe('a deleted affiliate', () => {
  it('takes links, referrals and unpaid sales with it; codes lose it and paid sales stay', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api, { affiliateLink: 'amara' });
    const bystander = await makeAffiliate(api);
    const second = await post(api, '/links', { link: 'amara-two', affiliateId: affiliate.id });
    const coupon = await makeCoupon(api);
    const code = await makeCode(api, coupon.id, { affiliateId: affiliate.id });
    const paidReferral = await makeReferral(api, 'amara');
    const paid = await sell(api, paidReferral.id);
    await payAll(api);
    const referrals = await Promise.all([makeReferral(api, 'amara'), makeReferral(api, affiliate.id)]);
    const unpaid = await Promise.all([
      sell(api, 'amara'),
      sell(api, affiliate.id),
      ...referrals.map(({ id }) => sell(api, id)),
      sell(api, paidReferral.id),
    ]);
    const kept = [await makeReferral(api, bystander.id), await sell(api, bystander.id)];
    await eventually('the code on both links', async () => {
      const { body } = await api.get(`/links?affiliateId=${affiliate.id}`);
      return body.every((link: { promotionalCodes: unknown[] }) => link.promotionalCodes.length === 1);
    });

    expect((await api.delete('/affiliates', { affiliateId: affiliate.id })).status).toBe(200);

    const goneReferrals = [paidReferral, ...referrals];
    for (const { id } of unpaid) await eventually('the sale gone', isGone(api, `/sales?id=${id}`));
    for (const { id } of goneReferrals) await eventually('the referral gone', isGone(api, `/referrals?id=${id}`));
    for (const link of ['amara', 'amara-two']) await eventually('the link gone', isGone(api, `/links?link=${link}`));
    const read = async (path: string) => (await api.get(path)).body;
    await eventually('the code without an affiliate', async () => {
      const { affiliateId, affiliate: nested } = await read(`/promotional-codes?id=${code.id}`);
      return affiliateId === null && nested === null;
    });
    await eventually('the paid sale without its link', async () => {
      const sale = await read(`/sales?id=${paid.id}`);
      return sale.affiliateLinkId === null && sale;
    });
    const staying = await read(`/sales?id=${paid.id}`);
    expect(staying).toMatchObject({
      affiliateId: affiliate.id,
      referralId: paidReferral.id,
      paidAt: expect.any(String),
    });
    // Nobody is left to take it from.
    expect((await api.patch('/sales', { saleId: paid.id })).body).toMatchObject({
      status: 'REFUNDED',
      commissionEarned: paid.commissionEarned,
    });
    expect((await adjustments.page(api.programId, { limit: 10 })).items).toEqual([]);
    expect(await read(`/referrals?id=${kept[0].id}`)).toEqual(kept[0]);
    expect(await read(`/sales?id=${kept[1].id}`)).toEqual(kept[1]);
    await eventually('no connection left', async () => (await codesOfLink(api.programId, second.id)).length === 0);

    const saleIds = (await eventsUntil(api.programId, 'sale.deleted', unpaid.length)).map(({ data }) => data.id);
    expect(saleIds.sort()).toEqual(unpaid.map(({ id }) => id).sort());
    const referralIds = (await eventsUntil(api.programId, 'referral.deleted', 3)).map(({ data }) => data.id);
    expect(referralIds.sort()).toEqual(goneReferrals.map(({ id }) => id).sort());
    const linkEvents = await eventsUntil(api.programId, 'link.deleted', 2);
    for (const { data } of linkEvents)
      expect(data).toMatchObject({
        affiliate: { id: affiliate.id, email: affiliate.email },
        promotionalCodes: [{ id: code.id }],
      });
    const [codeEvent] = await eventsUntil(api.programId, 'promotional_code.updated', 1);
    expect(codeEvent?.data).toMatchObject({ id: code.id, affiliateId: null, affiliate: null });
    expect(codeEvent?.previousAttributes).toMatchObject({
      affiliateId: affiliate.id,
      affiliate: { email: affiliate.email },
    });
    await eventsUntil(api.programId, 'affiliate.deleted', 1);
    expect(await eventCounts(api.programId)).toMatchObject({
      'affiliate.deleted': 1,
      'link.deleted': 2,
      'referral.deleted': 3,
      'sale.deleted': unpaid.length,
      'promotional_code.updated': 1,
    });
    expect((await eventCounts(api.programId))['promotional_code.deleted']).toBeUndefined();
    // Everything is free again, for the next affiliate of that name.
    await makeAffiliate(api, { email: affiliate.email, affiliateLink: 'amara' });
  }, 120_000);

  it('leaves nothing behind of what is created beside its deletion', async () => {
    const api = await makeProgram();
    const coupon = await makeCoupon(api);
    const { id: affiliateId } = await makeAffiliate(api);
    const [deleted, ...created] = await Promise.all([
      api.delete('/affiliates', { affiliateId }),
      ...Array.from({ length: 4 }, () => api.post('/links', { link: randomUUID(), affiliateId })),
      ...Array.from({ length: 4 }, () => api.put('/affiliates', { affiliateId, affiliateLink: randomUUID() })),
      ...Array.from({ length: 4 }, () =>
        api.post('/promotional-codes', { couponId: coupon.id, code: randomUUID(), affiliateId }),
      ),
    ]);
    expect(deleted.status, deleted.text).toBe(200);
    for (const { status, text } of created) expect([200, 404], text).toContain(status);
    await eventually(
      'no link left',
      async () => (await api.get(`/links?affiliateId=${affiliateId}`)).body.length === 0,
    );
    await eventually('no code left with it', async () => {
      const { body } = await api.get(`/promotional-codes?affiliateId=${affiliateId}`);
      return body.length === 0;
    });
  });
});

describe('a deleted referral', () => {
  it('takes its unpaid sales with it; paid ones keep its id', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api);
    const referral = await makeReferral(api, affiliate.id);
    const paid = await sell(api, referral.id);
    await payAll(api);
    const unpaid = await sell(api, referral.id);
    const other = await sell(api, affiliate.id);
    expect((await api.delete('/referrals', { referralId: referral.email })).status).toBe(200);
    await eventually('the unpaid sale gone', isGone(api, `/sales?id=${unpaid.id}`));
    const [event] = await eventsUntil(api.programId, 'sale.deleted', 1);
    expect(event?.data).toEqual(unpaid);
    expect((await api.get(`/sales?id=${paid.id}`)).body).toMatchObject({
      referralId: referral.id,
      affiliateId: affiliate.id,
    });
    expect((await api.get(`/sales?id=${other.id}`)).body).toEqual(other);
  });
});

describe('a deleted link', () => {
  it('leaves its referrals and sales without it, each with its event', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api, { affiliateLink: 'amara' });
    const coupon = await makeCoupon(api);
    await makeCode(api, coupon.id, { affiliateId: affiliate.id });
    const linkId = affiliate.affiliateLinks[0].id;
    const referral = await makeReferral(api, 'amara');
    const made = [await sell(api, 'amara'), await sell(api, referral.id)];
    await eventually('the code on the link', async () => (await codesOfLink(api.programId, linkId)).length === 1);
    expect((await api.delete('/links', { link: 'amara' })).status).toBe(200);
    const withoutLink = (path: string) =>
      eventually(`${path} without the link`, async () => {
        const { body } = await api.get(path);
        return body.affiliateLinkId === null && body;
      });
    const keptReferral = await withoutLink(`/referrals?id=${referral.id}`);
    expect(keptReferral).toMatchObject({ affiliateId: affiliate.id, referralMedium: 'LINK' });
    for (const { id } of made)
      expect(await withoutLink(`/sales?id=${id}`)).toMatchObject({ affiliateId: affiliate.id });
    const changes = [
      ...(await eventsUntil(api.programId, 'referral.updated', 1)),
      ...(await eventsUntil(api.programId, 'sale.updated', 2)),
    ];
    expect(changes.map(({ previousAttributes }) => previousAttributes)).toEqual(
      Array(3).fill({ affiliateLinkId: linkId }),
    );
    await eventually('no connection left', async () => (await codesOfLink(api.programId, linkId)).length === 0);
  });

  it('loses all its codes, in more messages than Lambda allows a function in a loop', async () => {
    const api = await makeProgram();
    const { id: affiliateId } = await makeAffiliate(api);
    const { id } = await post(api, '/links', { affiliateId, link: `link-${randomUUID()}` });
    // A message removes 100, and Lambda ends a loop after 16 messages.
    const connections = Array.from({ length: 1700 }, () => ({
      Put: {
        TableName: deployedName('records'),
        Item: { pk: partition(api.programId, 'LINK_CODE', id), sk: randomUUID(), code: 'SPRING20' },
      },
      refusal: () => new Error('unconditional'),
    }));
    await storeAll(connections);
    expect((await api.delete('/links', { id })).status).toBe(200);
    const areGone = async () => (await codesOfLink(api.programId, id)).length === 0;
    await eventually('all connections gone', areGone, cascadeMilliseconds);
  }, 120_000);
});

it('a referral that a request in flight wrote after its affiliate was deleted is gone with the second round, and not counted', async () => {
  const api = await makeProgram();
  const { id: affiliateId } = await makeAffiliate(api, { affiliateLink: 'amara' });
  const affiliate = await affiliates.get(api.programId, affiliateId);
  if (!affiliate) throw new Error('It was just made');
  expect((await api.delete('/affiliates', { affiliateId })).status).toBe(200);
  await eventually('the first round, which ends with the links', isGone(api, '/links?link=amara'));
  const referral = makeStoredReferral({ id: newRecordId(new Date()), affiliateId });
  const referred = async () => (await withTotals(api.programId, [affiliate]))[0]?.numberOfReferredUsers;
  await storeAll(referrals.createWrites(api.programId, referral));
  await eventually('the referral counted', async () => (await referred()) === 1);
  await eventually('the referral gone', isGone(api, `/referrals?id=${referral.id}`), cascadeMilliseconds);
  await eventsUntil(api.programId, 'referral.deleted', 1);
  await eventually('the referral not counted', async () => (await referred()) === 0);
}, 90_000);

it('the worker may get every message twice, and at the same time', async () => {
  const { programId } = await makeProgram();
  const affiliateId = randomUUID();
  const stored = Array.from({ length: 25 }, () => makeStoredSale(affiliateId));
  await storeSales(programId, stored);
  const message = firstMessage(programId, affiliateId);
  await Promise.all([workOnDeletion(message), workOnDeletion(message)]);
  await workOnDeletion(message);
  expect((await sales.page(programId, { limit: 1000 }, salesOfAffiliate(affiliateId))).items).toEqual([]);
  const deleted = await eventsUntil(programId, 'sale.deleted', stored.length, 40_000);
  expect(deleted.map(({ data }) => String(data.id)).sort()).toEqual(stored.map(({ id }) => String(Number(id))).sort());
});
