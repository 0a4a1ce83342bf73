import { randomUUID } from 'node:crypto';
import { QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { createSale } from '../../shared/domain/sales/create-sale.ts';
import { countedWrite, uncountedMarker } from '../../shared/domain/uses/uncounted.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { deployedName } from '../../shared/platform/table/deployed-name.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { eventsUntil, eventually } from '../support/events.ts';
import { type Api, makeCode, makeCoupon, makeProgram, type ResponseBody } from '../support/program.ts';

let buyers = 0;
const buy = (api: Api, promoCode: string): Promise<ResponseBody> => {
  buyers += 1;
  return api.post('/sales', { totalEarned: 10, promoCode, email: `buyer-${buyers}@example.com` });
};

/** Some buyers at once; returns how many could redeem the code. Every other one gets a 400 that names the limit. */
const race = async (api: Api, count: number, codes: readonly string[]) => {
  const responses = await Promise.all(
    Array.from({ length: count }, (_, at) => buy(api, codes[at % codes.length] ?? '')),
  );
  const refused = responses.filter(({ status }) => status !== 200);
  expect(refused.map(({ status, body }) => [status, body.details?.[0].code])).toEqual(
    refused.map(() => [400, 'code_limit_reached']),
  );
  return count - refused.length;
};

const timesRedeemed = async (api: Api, path: string): Promise<number> => (await api.get(path)).body.timesRedeemed;
const setLimit = async (api: Api, promotionalCodeId: string, maxRedemptions: number | null) =>
  expect((await api.put('/promotional-codes', { promotionalCodeId, maxRedemptions })).status).toBe(200);

const shardsOf = async (programId: string, kind: 'PROMOTIONAL_CODE' | 'COUPON', id: string) => {
  const response = await documents.send(
    new QueryCommand({
      TableName: deployedName('records'),
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :id)',
      ExpressionAttributeValues: { ':pk': partition(programId, kind, 'USES'), ':id': id },
    }),
  );
  return response.Items ?? [];
};

describe('a code without a limit', () => {
  it('counts every sale and referral once, on code and coupon, and keeps counting what is deleted since', async () => {
    const api = await makeProgram();
    const coupon = await makeCoupon(api);
    const { id, code } = await makeCode(api, coupon.id);
    const sales = await Promise.all(Array.from({ length: 12 }, () => buy(api, code)));
    await api.post('/referrals', { name: 'Priya', email: 'priya@example.com', promoCode: code });
    for (const { body } of sales.slice(0, 3))
      expect((await api.delete('/sales', { saleId: body.id })).status).toBe(200);
    for (const path of [`/promotional-codes?id=${id}`, `/coupons?id=${coupon.id}`])
      await eventually(`13 at ${path}`, async () => (await timesRedeemed(api, path)) >= 13);
    const redeemed = await eventsUntil(api.programId, 'promotional_code.redeemed', 13);
    expect(redeemed).toHaveLength(13);
    expect(await timesRedeemed(api, `/promotional-codes?id=${id}`)).toBe(13);
    expect(await timesRedeemed(api, `/coupons?id=${coupon.id}`)).toBe(13);
  });

  it('is not written by a redemption, nor is its coupon', async () => {
    const api = await makeProgram();
    const { code } = await makeCode(api, (await makeCoupon(api)).id);
    const send = vi.spyOn(documents, 'send');
    const program = { id: api.programId, currency: 'USD', commissionRate: 10, timeZone: 'UTC' };
    await createSale(program, { totalEarned: 10, promoCode: code, email: 'shared@example.com' }, new Date());
    const keys = send.mock.calls.flatMap(([command]) =>
      command instanceof TransactWriteCommand
        ? (command.input.TransactItems ?? []).map(({ Put, Update }) => (Put?.Item ?? Update?.Key)?.pk)
        : [],
    );
    expect(keys.slice(0, 1)).toEqual([partition(api.programId, 'SALE')]);
    const words = partition(api.programId, 'SALE', 'WORD');
    expect(keys.slice(1, -1).filter((key) => key !== words)).toEqual([expect.stringContaining('#UNCOUNTED#')]);
    expect(keys.slice(-1)).toEqual([partition(api.programId, 'SALE', 'CUSTOMER')]);
  });
});

describe('the limit of a code', () => {
  it('stays exact when it is raised, lowered below what was used, removed and set again', async () => {
    const api = await makeProgram();
    const { id, code } = await makeCode(api, (await makeCoupon(api)).id, { maxRedemptions: 10 });
    const exact = async (limit: number | null, expected: number) => {
      await setLimit(api, id, limit);
      expect(await race(api, expected + 3, [code])).toBe(expected);
    };
    expect(await race(api, 16, [code])).toBe(10);
    await exact(15, 5);
    await exact(12, 0);
    await exact(18, 3);
    await setLimit(api, id, null);
    expect(await race(api, 4, [code])).toBe(4);
    await exact(25, 3);
    expect(await timesRedeemed(api, `/promotional-codes?id=${id}`)).toBe(25);
    const listed = async () => (await api.get('/promotional-codes')).body[0].timesRedeemed;
    await expect.poll(listed, { timeout: 30_000 }).toBe(25);
  }, 120_000);

  it('of a code and of its coupon count the redemptions that were under way when they were set for the first time', async () => {
    const api = await makeProgram();
    const { id, couponId, code } = await makeCode(api, (await makeCoupon(api)).id);
    expect(await race(api, 6, [code])).toBe(6);
    expect((await api.put('/coupons', { couponId, maxRedemptions: 12 })).status).toBe(200);
    await setLimit(api, id, 9);
    expect(await race(api, 6, [code])).toBe(3);
    expect(await timesRedeemed(api, `/promotional-codes?id=${id}`)).toBe(9);
    expect(await timesRedeemed(api, `/coupons?id=${couponId}`)).toBe(9);
  }, 120_000);

  it('is not exceeded when it is set while redemptions are not counted: 503 until they are', async () => {
    const api = await makeProgram();
    const { id, couponId, code } = await makeCode(api, (await makeCoupon(api)).id);
    expect(await race(api, 4, [code])).toBe(4);
    await eventually('4 uses', async () => (await timesRedeemed(api, `/promotional-codes?id=${id}`)) === 4);
    // A redemption that the totals worker never hears of, as if it were far behind.
    const uncounted = { couponId, codeId: id, recordId: randomUUID() };
    await writeTogether([uncountedMarker(api.programId, uncounted, new Date())]);
    await setLimit(api, id, 6);
    const early = await buy(api, code);
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '2']);
    await writeTogether([countedWrite(api.programId, uncounted, () => new Error('It has no marker'))]);
    expect(await race(api, 4, [code])).toBe(2);
  }, 90_000);

  it('of a coupon is shared by all its codes', async () => {
    const api = await makeProgram();
    const coupon = await makeCoupon(api, { maxRedemptions: 7 });
    const codes = await Promise.all([1, 2, 3].map(() => makeCode(api, coupon.id, { maxRedemptions: 5 })));
    const texts = codes.map(({ code }) => code);
    const responses = await Promise.all(Array.from({ length: 5 }, () => texts.map((text) => buy(api, text))).flat());
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(7);
    expect((await api.get(`/coupons?id=${coupon.id}`)).body).toMatchObject({ timesRedeemed: 7, valid: false });
  });

  it('leaves no shards behind when the code or the coupon is deleted', async () => {
    const api = await makeProgram();
    const coupon = await makeCoupon(api, { maxRedemptions: 50 });
    const { id, code } = await makeCode(api, coupon.id, { maxRedemptions: 50 });
    expect(await race(api, 3, [code])).toBe(3);
    expect(await shardsOf(api.programId, 'PROMOTIONAL_CODE', id)).toHaveLength(4);
    expect((await api.delete('/promotional-codes', { promotionalCodeId: id })).status).toBe(200);
    expect((await api.delete('/coupons', { couponId: coupon.id })).status).toBe(200);
    expect(await shardsOf(api.programId, 'PROMOTIONAL_CODE', id)).toEqual([]);
    expect(await shardsOf(api.programId, 'COUPON', coupon.id)).toEqual([]);
  });
});
