import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { coupons } from '../../shared/domain/coupons/repository.ts';
import { finishDeletion } from '../../shared/domain/deletions/finish-deletion.ts';
import { codesOfLink } from '../../shared/domain/links/connections.ts';
import { writeNewCode } from '../../shared/domain/promotional-codes/write-new-code.ts';
import { adjustments } from '../../shared/domain/sales/adjustments.ts';
import { sales, salesOfAffiliate } from '../../shared/domain/sales/repository.ts';
import { deployedName, documents } from '../../shared/platform/table/client.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { eventCounts, eventsUntil, eventually } from '../support/events.ts';
import { type Api, makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';
import {
  makeStoredAdjustment,
  makeStoredSale,
  storeAll,
  storeQuietSales,
  storeSales,
  unnoticed,
} from '../support/sales.ts';

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
    await makeCodes(api, coupon.id, 120);
    expect((await api.delete('/coupons', { couponId: coupon.id })).status).toBe(200);
    const left = async () => (await api.get(`/promotional-codes?couponId=${coupon.id}`)).body.length === 0;
    await eventually('all codes gone', left, cascadeMilliseconds);
    const deleted = await eventsUntil(api.programId, 'promotional_code.deleted', 120, cascadeMilliseconds);
    expect(new Set(deleted.map(({ data }) => data.code)).size).toBe(120);
    for (const { data } of deleted) expect(data.coupon).toMatchObject({ id: coupon.id, name: 'Spring' });
    expect((await api.get('/promotional-codes')).body).toEqual([other]);
    expect(await eventCounts(api.programId)).toMatchObject({ 'coupon.deleted': 1, 'promotional_code.deleted': 120 });
  }, 120_000);

  it('never leaves an orphan, whenever codes are created beside its deletion', async () => {
    const api = await makeProgram();
    const everMade: string[] = [];
    for (let round = 0; round < 2; round++) {
      const { id: couponId } = await makeCoupon(api);
      const first = await makeCode(api, couponId);
      const creations = Array.from({ length: 12 }, () =>
        api.post('/promotional-codes', { couponId, code: randomUUID() }),
      );
      const [deleted, ...created] = await Promise.all([api.delete('/coupons', { couponId }), ...creations]);
      expect(deleted.status).toBe(200);
      for (const { status } of created) expect([200, 404]).toContain(status);
      const made = [first.id, ...created.filter(({ status }) => status === 200).map(({ body }) => body.id)];
      everMade.push(...made);
      for (const id of made)
        await eventually('the code gone', isGone(api, `/promotional-codes?id=${id}`), cascadeMilliseconds);
    }
    const deleted = await eventsUntil(api.programId, 'promotional_code.deleted', everMade.length);
    expect(deleted.map(({ data }) => data.id).sort()).toEqual(everMade.sort());
    expect(await eventsUntil(api.programId, 'promotional_code.created', everMade.length)).toHaveLength(everMade.length);
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
    for (let round = 0; round < 2; round++) {
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
    }
  }, 60_000);
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
  }, 60_000);
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
  }, 60_000);

  it('loses all its codes, in far more messages than Lambda allows a function in a loop', async () => {
    const api = await makeProgram();
    const { id: affiliateId } = await makeAffiliate(api);
    const { id } = await post(api, '/links', { affiliateId, link: `link-${randomUUID()}` });
    // 100 a message.
    const connections = Array.from({ length: 3000 }, () => ({
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

it('a code that a request in flight wrote after its coupon was deleted is gone with the second round', async () => {
  const api = await makeProgram();
  const { id: couponId } = await makeCoupon(api);
  const coupon = await coupons.get(api.programId, couponId);
  if (!coupon) throw new Error('It was just made');
  expect((await api.delete('/coupons', { couponId })).status).toBe(200);
  await eventsUntil(api.programId, 'coupon.deleted', 1);
  const terms = {
    externalId: null,
    active: true,
    expiresAt: null,
    maxRedemptions: null,
    firstTimeOrder: false,
    minimumAmountMinor: null,
    minimumAmountCurrency: null,
    limitToCustomers: false,
    customerId: null,
    limitToAffiliate: false,
    isAutoGenerated: false,
    isAffiliateGenerated: false,
    metadata: {},
  };
  const source = { texts: [randomUUID()], now: new Date() };
  const { code } = await writeNewCode(api.programId, { coupon, affiliate: undefined }, terms, source);
  await eventually('the code gone', isGone(api, `/promotional-codes?id=${code.id}`), cascadeMilliseconds);
  const [deleted] = await eventsUntil(api.programId, 'promotional_code.deleted', 1);
  expect(deleted?.data.coupon).toMatchObject({ id: couponId });
}, 90_000);

describe('the worker', () => {
  afterEach(() => vi.restoreAllMocks());

  type Message = Parameters<typeof finishDeletion>[0];
  const firstMessage = (programId: string, id: string): Message => ({
    programId,
    kind: 'AFFILIATE',
    id,
    step: 0,
    isSweep: false,
  });

  /** A clock that has each page take longer than one message works. */
  const slowClock = () => {
    let milliseconds = Date.now();
    return () => {
      milliseconds += 20_000;
      return new Date(milliseconds);
    };
  };

  /** Works on a message and on all that follow it at once; returns them in their order. */
  const work = async (message: Message, now = () => new Date()) => {
    const sent: { message: Message; delaySeconds: number | undefined }[] = [];
    const send = async (next: Message, delaySeconds?: number) => void sent.push({ message: next, delaySeconds });
    await finishDeletion(message, { send, now, webhooks });
    for (let at = 0; at < sent.length; at++) {
      const next = sent[at];
      if (next && next.delaySeconds === undefined) await finishDeletion(next.message, { send, now, webhooks });
    }
    return sent;
  };

  const salesLeft = async (programId: string, affiliateId: string): Promise<number> =>
    (await sales.page(programId, { limit: 1000 }, salesOfAffiliate(affiliateId))).items.length;

  const withSales = async (count: number, store = storeQuietSales) => {
    const { programId } = await makeProgram();
    const affiliateId = randomUUID();
    await store(
      programId,
      Array.from({ length: count }, () => makeStoredSale(affiliateId)),
    );
    return { programId, affiliateId, message: firstMessage(programId, affiliateId) };
  };

  it('goes on in another message when its time is over, and asks for a second round, which asks for none', async () => {
    const { programId, affiliateId, message } = await withSales(250);
    const sent = await work(message, slowClock());
    expect(sent.map(({ delaySeconds }) => delaySeconds)).toEqual([undefined, undefined, 40]);
    expect(await salesLeft(programId, affiliateId)).toBe(0);
    // What a request in flight wrote after the first round.
    await storeQuietSales(programId, [makeStoredSale(affiliateId)]);
    const sweep = sent.at(-1)?.message;
    expect(sweep && (await work(sweep))).toEqual([]);
    expect(await salesLeft(programId, affiliateId)).toBe(0);
  }, 60_000);

  it('removes what refunds would have taken from the next payout, and leaves what was taken from one that is paid', async () => {
    const { programId } = await makeProgram();
    const affiliateId = randomUUID();
    const open = Array.from({ length: 120 }, () => makeStoredAdjustment(affiliateId, -100));
    const taken = { ...makeStoredAdjustment(affiliateId, -100), payoutBatchId: 'b', paidAt: new Date().toISOString() };
    const others = makeStoredAdjustment(randomUUID(), -100);
    const all = [...open, taken, others];
    await storeAll(unnoticed(all.flatMap((adjustment) => adjustments.createWrites(programId, adjustment))));
    const message = firstMessage(programId, affiliateId);
    await Promise.all([work(message), work(message)]);
    const left = (await adjustments.page(programId, { limit: 1000 })).items;
    expect(new Set(left.map(({ id }) => id))).toEqual(new Set([taken.id, others.id]));
  });

  it('finishes with the same message after it died in the middle of a page, or before it sent the next message', async () => {
    const { programId, affiliateId, message } = await withSales(150);
    const realSend = documents.send.bind(documents);
    let writes = 0;
    vi.spyOn(documents, 'send').mockImplementation(((command: Parameters<typeof realSend>[0]) => {
      // One for 20 sales.
      if (command.constructor.name === 'TransactWriteCommand') writes += 1;
      return writes > 2 ? Promise.reject(new Error('killed')) : realSend(command);
    }) as typeof documents.send);
    await expect(work(message)).rejects.toThrow('killed');
    vi.restoreAllMocks();
    expect(await salesLeft(programId, affiliateId)).toBe(110);
    const dying = { send: () => Promise.reject(new Error('killed')), now: slowClock() };
    await expect(finishDeletion(message, { ...dying, webhooks })).rejects.toThrow('killed');
    expect(await salesLeft(programId, affiliateId)).toBe(10);
    await work(message);
    expect(await salesLeft(programId, affiliateId)).toBe(0);
  }, 60_000);

  it('may get every message twice, and at the same time', async () => {
    const { programId, affiliateId, message } = await withSales(120, storeSales);
    await Promise.all([work(message), work(message)]);
    await work(message);
    expect(await salesLeft(programId, affiliateId)).toBe(0);
    const deleted = await eventsUntil(programId, 'sale.deleted', 120, 40_000);
    expect(new Set(deleted.map(({ data }) => data.id)).size).toBe(120);
    expect(deleted).toHaveLength(120);
  }, 60_000);
});
