import { describe, expect, it } from 'vitest';
import { paymentMethods } from '../../../shared/contract/payment-methods.ts';
import {
  createPayoutBatch as operation,
  updatePayoutBatch as updateOperation,
} from '../../../shared/contract/payout-batches.ts';
import { deleteCoupon } from '../../../shared/domain/coupons/delete-coupon.ts';
import { coupons } from '../../../shared/domain/coupons/repository.ts';
import type { StoredCoupon } from '../../../shared/domain/coupons/rules.ts';
import { updateCoupon } from '../../../shared/domain/coupons/update-coupon.ts';
import { payoutBatches } from '../../../shared/domain/payouts/repository.ts';
import { updatePayoutBatch } from '../../../shared/domain/payouts/update-payout-batch.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import {
  at,
  bodyOf,
  newProgram,
  now,
  outcomeOf,
  storeAffiliate,
  storeCoupon,
  storeSale,
} from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { createBatch, prepareBatch } from '../../support/payout-batches.ts';

const flat = { couponType: 'FLAT', percentOff: null, amountOffMinor: 100, currency: 'USD' } as const;

describe('a new batch that is paid in coupons', () => {
  const couponId = '019a0000-0000-7000-8000-0000000000c1';

  const others = [...paymentMethods.filter((method) => method !== 'COUPON'), null, undefined];
  it.each<{ paymentMethod?: string | null | undefined; couponId?: string | null; paths: string[] }>([
    { paymentMethod: 'COUPON', couponId, paths: [] },
    { paymentMethod: 'COUPON', couponId: null, paths: ['couponId'] },
    { paymentMethod: 'COUPON', paths: ['couponId'] },
    ...others.map((paymentMethod) => ({ paymentMethod, couponId, paths: ['couponId'] })),
    ...others.map((paymentMethod) => ({ paymentMethod, paths: [] })),
  ])('names a coupon with that payment method alone: %j', ({ paths, ...body }) => {
    const { error } = operation.body.safeParse(body);
    expect(error?.issues.map(({ path }) => path.join('.')) ?? []).toEqual(paths);
  });

  const invalid = { status: 400, path: 'couponId', code: 'coupon_invalid' };
  const notForPayouts = { status: 400, path: 'couponId', code: 'not_for_payouts' };
  it.each<{ is: string; coupon: Partial<StoredCoupon>; outcome: unknown }>([
    { is: 'a percentage', coupon: {}, outcome: 'accepted' },
    { is: 'an amount', coupon: flat, outcome: 'accepted' },
    {
      is: 'an amount in another currency',
      coupon: { ...flat, currency: 'EUR' },
      outcome: { status: 400, path: 'couponId', code: 'wrong_currency' },
    },
    { is: 'for customers', coupon: { couponCategory: 'CUSTOMER' }, outcome: notForPayouts },
    { is: 'the copy for one payout', coupon: { ...flat, payoutBatchId: couponId }, outcome: notForPayouts },
    { is: 'switched off', coupon: { enabled: false }, outcome: invalid },
    { is: 'just expired', coupon: { redeemBy: at(0) }, outcome: invalid },
    { is: 'about to expire', coupon: { redeemBy: at(1) }, outcome: 'accepted' },
    { is: 'used up', coupon: { maxRedemptions: 2, timesRedeemed: 2 }, outcome: invalid },
  ])('takes a coupon that is $is: $outcome', async ({ coupon, outcome }) => {
    const program = newProgram();
    const { id } = await storeCoupon(program, { couponCategory: 'PAYOUT', ...coupon });
    const create = () => createBatch(program, { paymentMethod: 'COUPON', couponId: id });
    expect(await outcomeOf(create)).toEqual(outcome);
    const [batch] = (await payoutBatches.page(program.id, { limit: 1 })).items;
    expect(batch?.couponId).toBe(outcome === 'accepted' ? id : undefined);
  });

  it('does not find the coupon of another program', async () => {
    const { id } = await storeCoupon(newProgram(), { couponCategory: 'PAYOUT' });
    const create = () => createBatch(newProgram(), { paymentMethod: 'COUPON', couponId: id });
    expect(await outcomeOf(create)).toEqual({ status: 404 });
  });

  it('takes the affiliates alone who are paid that way', async () => {
    const program = newProgram();
    const { id } = await storeCoupon(program, { couponCategory: 'PAYOUT' });
    for (const paymentMethod of [...paymentMethods, null])
      await storeSale(program, (await storeAffiliate(program, { paymentMethod })).id, { createdAt: at(-1) });
    expect(await prepareBatch(program, { paymentMethod: 'COUPON', couponId: id })).toMatchObject({ payoutCount: 1 });
  });
});

/** A batch of two payouts of 10.00 that is READY, and its coupon. */
const readyBatch = async (terms: Partial<StoredCoupon> = {}, commissionEarnedMinor = 1000) => {
  const program = newProgram();
  const coupon = await storeCoupon(program, { couponCategory: 'PAYOUT', ...terms });
  for (const createdAt of [at(-2), at(-1)]) {
    const { id } = await storeAffiliate(program, { paymentMethod: 'COUPON' });
    await storeSale(program, id, { createdAt, commissionEarnedMinor });
  }
  const { id } = await prepareBatch(program, { paymentMethod: 'COUPON', couponId: coupon.id });
  const change = (fields: object) =>
    updatePayoutBatch(program.id, bodyOf(updateOperation, { payoutBatchId: id, ...fields }), undefined, now);
  const state = async () => (await payoutBatches.get(program.id, id))?.status;
  return { program, coupon, change, pay: () => change({ status: 'PAID' }), state };
};

/** Changes a coupon as nobody can through the API, where a test needs that. */
const replace = async (programId: string, coupon: StoredCoupon, fields: Partial<StoredCoupon>) => {
  const current = (await coupons.get(programId, coupon.id)) ?? coupon;
  await writeTogether(coupons.updateWrites(programId, current, { ...current, ...fields }));
};

describe('marking a batch as paid', () => {
  const conflict = { status: 409 };

  it.each<{ is: string; terms: Partial<StoredCoupon>; change?: Partial<StoredCoupon>; outcome: unknown }>([
    { is: 'unchanged', terms: {}, outcome: 'accepted' },
    { is: 'renamed', terms: {}, change: { name: 'Other' }, outcome: 'accepted' },
    { is: 'switched off', terms: {}, change: { enabled: false }, outcome: conflict },
    { is: 'expired', terms: {}, change: { redeemBy: at(-1) }, outcome: conflict },
    { is: 'in another currency', terms: flat, change: { currency: 'EUR' }, outcome: conflict },
    { is: 'redeemable for each payout', terms: { maxRedemptions: 2 }, outcome: 'accepted' },
    { is: 'redeemable too rarely', terms: { maxRedemptions: 1 }, outcome: conflict },
    { is: 'copied, however rarely it is redeemable', terms: { ...flat, maxRedemptions: 1 }, outcome: 'accepted' },
    { is: 'redeemed since', terms: { maxRedemptions: 2 }, change: { timesRedeemed: 1 }, outcome: conflict },
  ])('looks at its coupon again, which is $is: $outcome', async ({ terms, change, outcome }) => {
    const { program, coupon, pay, state } = await readyBatch(terms);
    if (change) await replace(program.id, coupon, change);
    expect(await outcomeOf(pay)).toEqual(outcome);
    expect(await state()).toBe(outcome === 'accepted' ? 'PAID' : 'READY');
  });

  it.each([
    { commission: 499_999_999_999_999, outcome: 'accepted' },
    { commission: 500_000_000_000_000, outcome: conflict },
  ])('refuses payouts beyond what a coupon can hold: two of $commission are $outcome', async (given) => {
    const { pay } = await readyBatch(flat, given.commission);
    expect(await outcomeOf(pay)).toEqual(given.outcome);
    const { pay: payByPercentage } = await readyBatch({}, given.commission);
    expect(await outcomeOf(payByPercentage)).toBe('accepted');
  });

  it('is refused where the coupon was deleted, and says what to do; the batch can be renamed still', async () => {
    const { program, coupon, change, pay, state } = await readyBatch();
    await deleteCoupon(program.id, coupon.id, undefined, now);
    await expect(pay()).rejects.toThrow(/was deleted.*delete the batch and create one with another coupon/);
    expect(await state()).toBe('READY');
    expect(await change({ name: 'Renamed' })).toMatchObject({ name: 'Renamed', status: 'READY' });
  });

  it.each([
    { meanwhile: 'switched off', status: 'READY' },
    { meanwhile: 'deleted', status: 'READY' },
    { meanwhile: 'renamed', status: 'PAID' },
  ])('race: the coupon is $meanwhile between look and payment', async ({ meanwhile, status }) => {
    const { program, coupon, pay, state } = await readyBatch();
    const edit = (fields: object) =>
      updateCoupon(program.id, { couponId: coupon.id, ...fields } as never, undefined, now);
    const changes: Record<string, () => Promise<unknown>> = {
      'switched off': () => edit({ valid: false }),
      renamed: () => edit({ name: 'Other' }),
      deleted: () => deleteCoupon(program.id, coupon.id, undefined, now),
    };
    const outcome = await outcomeOf(() => interrupted(pay, async () => changes[meanwhile]?.()));
    expect(outcome).toEqual(status === 'PAID' ? 'accepted' : conflict);
    expect(await state()).toBe(status);
  });
});
