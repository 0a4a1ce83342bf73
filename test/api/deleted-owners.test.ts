import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { RecordKind } from '../../shared/contract/needs.ts';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import type { StoredAffiliate } from '../../shared/domain/affiliates/rules.ts';
import { promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import { adjustments } from '../../shared/domain/sales/adjustments.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { deployedName } from '../../shared/platform/table/deployed-name.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { signedIn } from '../support/browser.ts';
import { eventually } from '../support/events.ts';
import { forgetResponses } from '../support/forget-responses.ts';
import { type Api, makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';
import { makeStoredAdjustment, makeStoredSale, storeAll, unnoticed } from '../support/sales.ts';
import { makeStoredAffiliate } from '../support/stored-records.ts';

it('a coupon shows a code with the deleted affiliate that it had, until the code has lost it', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api);
  const coupon = await makeCoupon(api);
  const { id } = await makeCode(api, coupon.id);
  const stored = await promotionalCodes.get(api.programId, id);
  if (!stored) throw new Error('The code is gone');
  await api.delete('/affiliates', { affiliateId: affiliate.id });
  const [link] = affiliate.affiliateLinks;
  await eventually('the first round, which ends with the links', async () => {
    return (await api.get(`/links?id=${link.id}`)).status === 404;
  });
  // As a request in flight writes it after the deletion has been through.
  const late = { ...stored, id: crypto.randomUUID(), code: 'LATE', affiliateId: affiliate.id };
  await storeAll(unnoticed(promotionalCodes.createWrites(api.programId, late)));
  const shown = await api.get(`/coupons?id=${coupon.id}`);
  const codes: { code: string; affiliate: object | null }[] = shown.body.promotionalCodes;
  expect(codes.find(({ code }) => code === 'LATE')?.affiliate).toMatchObject({ id: affiliate.id, firstName: 'Amara' });
});

it('an affiliate takes what it still owed with it', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api);
  const owed = makeStoredAdjustment(affiliate.id, -500);
  await writeTogether(adjustments.createWrites(api.programId, owed));
  await api.delete('/affiliates', { affiliateId: affiliate.id });
  await expect.poll(() => adjustments.get(api.programId, owed.id), { timeout: 30_000 }).toBeUndefined();
});

it('a sale that goes with its referral gives back what adjustments took of its commission', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api);
  const { body: referral } = await api.post('/referrals', {
    name: 'Priya Sharma',
    email: 'priya@example.com',
    affiliateId: affiliate.id,
  });
  // Refunded in full while its commission of 1,000 was in a payout batch, which was deleted since.
  const sale = makeStoredSale(affiliate.id, {
    referralId: referral.id,
    refundedAmountMinor: 10_000,
    status: 'REFUNDED',
    commissionEarnedMinor: 1000,
  });
  await writeTogether(sales.createWrites(api.programId, sale));
  const taken = { ...makeStoredAdjustment(affiliate.id, -1000), saleId: sale.id };
  await writeTogether(adjustments.createWrites(api.programId, taken));
  expect((await api.delete('/referrals', { referralId: referral.id })).status).toBe(200);
  const open = async () => {
    const { items } = await adjustments.page(api.programId, { limit: 10 });
    return items.map(({ saleId, amountMinor }) => ({ saleId, amountMinor }));
  };
  await expect.poll(open, { timeout: 30_000 }).toEqual([
    { saleId: sale.id, amountMinor: 1000 },
    { saleId: sale.id, amountMinor: -1000 },
  ]);
  expect(await sales.get(api.programId, sale.id)).toBeUndefined();
});

it('a sale that is deleted gives back what adjustments took of its commission', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api);
  // Refunded in full while its commission was in a payout batch, which was deleted since.
  const sale = makeStoredSale(affiliate.id, { refundedAmountMinor: 10_000, status: 'REFUNDED' });
  const taken = { ...makeStoredAdjustment(affiliate.id, -1000), saleId: sale.id };
  await writeTogether([...sales.createWrites(api.programId, sale), ...adjustments.createWrites(api.programId, taken)]);
  expect((await api.delete('/sales', { saleId: Number(sale.id) })).status).toBe(200);
  const { items } = await adjustments.page(api.programId, { limit: 10 });
  expect(items.map(({ saleId, amountMinor }) => [saleId, amountMinor])).toEqual([
    [sale.id, 1000],
    [sale.id, -1000],
  ]);
});

describe('what shows its affiliate shows it as it last was, while the deletion is under way:', () => {
  const key = { 'idempotency-key': 'k' };

  /** An affiliate of which only the last state is left. */
  const deletedAffiliate = async ({ programId }: Api): Promise<StoredAffiliate> => {
    const now = new Date();
    const affiliate = makeStoredAffiliate({ id: newRecordId(now), firstName: 'Zora', email: 'zora@example.com' });
    await writeTogether([affiliates.tombstoneWrite(programId, affiliate, now)]);
    return affiliate;
  };

  /** Gives a record to another affiliate, without its kind: so the workers take no notice. */
  const giveTo = async (affiliateId: string, { programId }: Api, kind: RecordKind, id: string): Promise<void> => {
    await documents.send(
      new UpdateCommand({
        TableName: deployedName('records'),
        Key: { pk: partition(programId, kind), sk: id },
        UpdateExpression: 'SET affiliateId = :affiliate REMOVE #kind',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#kind': 'kind' },
        ExpressionAttributeValues: { ':affiliate': affiliateId },
      }),
    );
  };

  it('a code that is read, changed, or created by a request that was interrupted', async () => {
    const api = await makeProgram();
    const { id: couponId } = await makeCoupon(api, { maxRedemptions: 3 });
    const body = { couponId, code: 'ZORA', maxRedemptions: 2 };
    const { body: code } = await api.post('/promotional-codes', body, key);
    const { id: affiliateId } = await deletedAffiliate(api);
    await giveTo(affiliateId, api, 'PROMOTIONAL_CODE', code.id);
    const shown = { id: code.id, affiliate: { id: affiliateId, firstName: 'Zora' }, timesRedeemed: 0 };
    expect((await api.get(`/promotional-codes?id=${code.id}`)).body).toMatchObject(shown);
    expect((await api.get(`/promotional-codes/${code.id}`)).body).toMatchObject(shown);
    expect((await api.get(`/coupons/${couponId}`)).body).toMatchObject({ promotionalCodes: [{ id: code.id }] });
    await forgetResponses(api.programId);
    expect((await api.post('/promotional-codes', body, key)).body).toMatchObject(shown);
    const change = { promotionalCodeId: code.id, active: false };
    expect((await api.put('/promotional-codes', change)).body).toMatchObject({ ...shown, active: false });
    const browser = await signedIn(api.ownerEmail);
    expect((await browser.visit(`/programs/${api.programId}/promotional-codes`)).text).toContain('zora@example.com');
  });

  it('a coupon with such a code that is listed, changed, or created by a request that was interrupted', async () => {
    const api = await makeProgram();
    const body = { name: 'Spring', percentOff: 20 };
    const { body: coupon } = await api.post('/coupons', body, key);
    const living = await makeAffiliate(api);
    const codes = [await makeCode(api, coupon.id), await makeCode(api, coupon.id, { affiliateId: living.id })];
    const { id: affiliateId } = await deletedAffiliate(api);
    await giveTo(affiliateId, api, 'PROMOTIONAL_CODE', codes[0].id);
    const affiliatesOf = (shown: { promotionalCodes: { affiliate: { id: string } | null }[] }) =>
      shown.promotionalCodes.map(({ affiliate }) => affiliate?.id);
    const both = [living.id, affiliateId];
    expect(affiliatesOf((await api.get('/coupons')).body[0])).toEqual(both);
    expect(affiliatesOf((await api.get(`/coupons/${coupon.id}`)).body)).toEqual(both);
    await forgetResponses(api.programId);
    expect(affiliatesOf((await api.post('/coupons', body, key)).body)).toEqual(both);
    expect(affiliatesOf((await api.put('/coupons', { couponId: coupon.id, name: 'Autumn' })).body)).toEqual(both);
  });

  it('a link that is listed, or created by a request that was interrupted', async () => {
    const api = await makeProgram();
    const { id: first } = await makeAffiliate(api);
    const body = { link: 'zora', affiliateId: first };
    const { body: link } = await api.post('/links', body, key);
    const { id: affiliateId } = await deletedAffiliate(api);
    await giveTo(affiliateId, api, 'LINK', link.id);
    const shown = { id: link.id, affiliate: { id: affiliateId, name: expect.stringContaining('Zora') } };
    expect((await api.get('/links?link=zora')).body).toMatchObject(shown);
    expect((await api.get('/links/link:zora')).body).toMatchObject(shown);
    await forgetResponses(api.programId);
    expect((await api.post('/links', body, key)).body).toMatchObject(shown);
  });

  it('a payout of a paid batch, also where the batch was created by a request that was interrupted', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api, { firstName: 'Zora' });
    await api.post('/sales', { totalEarned: 100, referralId: affiliate.id });
    const { body: batch } = await api.post('/payout-batches', {}, key);
    const read = async () => (await api.get(`/payout-batches?id=${batch.id}`)).body;
    await expect.poll(async () => (await read()).status, { timeout: 20_000 }).toBe('READY');
    await api.put('/payout-batches', { payoutBatchId: batch.id, status: 'PAID' });
    const remove = async () => (await api.delete('/affiliates', { affiliateId: affiliate.id })).status;
    await expect.poll(remove, { timeout: 20_000 }).toBe(200);
    expect((await api.get(`/payout-batches/${batch.id}`)).body.payouts).toMatchObject([
      { affiliate: { id: affiliate.id } },
    ]);
    await forgetResponses(api.programId);
    const { body: again } = await api.post('/payout-batches', {}, key);
    expect(again).toMatchObject({ id: batch.id, payouts: [{ affiliate: { id: affiliate.id } }] });
    const browser = await signedIn(api.ownerEmail);
    const page = await browser.visit(`/programs/${api.programId}/payout-batches/${batch.id}`);
    expect(page.text).toContain('Zora');
  });
});
