import { describe, expect, it } from 'vitest';
import type { RedemptionReason } from '../../../shared/contract/promotional-code-record.ts';
import { createReferral as referralOperation } from '../../../shared/contract/referrals.ts';
import { createReferral } from '../../../shared/domain/referrals/create-referral.ts';
import { hasUncounted } from '../../../shared/domain/uses/uncounted.ts';
import { bodyOf, newProgram, now, outcomeOf, storeCode, storeCoupon } from '../../support/domain.ts';
import { codeOf, minimum, type RedemptionCase, refusedFor, sell, validate } from '../../support/purchases.ts';

describe('a first order', () => {
  it('is one of a customer without any sale yet', async () => {
    const program = newProgram();
    const { code } = await codeOf(program, { code: { firstTimeOrder: true } });
    const email = 'priya@example.com';
    expect(await outcomeOf(() => sell(program, code, { email }))).toBe('accepted');
    expect(await outcomeOf(() => sell(program, code, { email }))).toEqual(refusedFor('first_order_only'));
    expect((await validate(program, code, { email })).reason).toBe('first_order_only');
    expect(await outcomeOf(() => sell(program, code, { email: 'other@example.com' }))).toBe('accepted');
  });

  it('counts orders without the code, and those of other programs do not', async () => {
    const [program, other] = [newProgram(), newProgram()];
    const { code } = await codeOf(program, { code: { firstTimeOrder: true } });
    const email = 'priya@example.com';
    await sell(other, (await codeOf(other, {})).code, { email });
    expect((await validate(program, code, { email })).reason).toBeNull();
    await sell(program, (await storeCode(program, await storeCoupon(program))).code, { email });
    expect((await validate(program, code, { email })).reason).toBe('first_order_only');
  });

  it('race: of eight first orders of one customer at once one is accepted', async () => {
    const program = newProgram();
    const { code } = await codeOf(program, { code: { firstTimeOrder: true } });
    const orders = Array.from({ length: 8 }, () =>
      outcomeOf(() => sell(program, code, { email: 'priya@example.com' })),
    );
    const outcomes = await Promise.all(orders);
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome !== 'accepted')).toEqual(Array(7).fill(refusedFor('first_order_only')));
  });
});

const referred = (promoCode: string) => ({ name: 'Priya', email: 'priya@example.com', promoCode });

describe('a cap', () => {
  // 16 uses fill one shard.
  it.each([1, 2, 16, 17])('of a code lets it be redeemed %i times', async (maxRedemptions) => {
    const program = newProgram();
    const { code } = await codeOf(program, { code: { maxRedemptions } });
    for (let use = 0; use < maxRedemptions; use++) expect(await outcomeOf(() => sell(program, code))).toBe('accepted');
    expect(await outcomeOf(() => sell(program, code))).toEqual(refusedFor('code_limit_reached'));
    expect((await validate(program, code)).reason).toBe('code_limit_reached');
  });

  it('of a coupon is shared by its codes', async () => {
    const program = newProgram();
    const coupon = await storeCoupon(program, { maxRedemptions: 3 });
    const [one, other] = [await storeCode(program, coupon), await storeCode(program, coupon)];
    for (const { code } of [one, other, one]) expect(await outcomeOf(() => sell(program, code))).toBe('accepted');
    for (const { code } of [one, other]) {
      expect(await outcomeOf(() => sell(program, code))).toEqual(refusedFor('coupon_limit_reached'));
      expect((await validate(program, code)).reason).toBe('coupon_limit_reached');
    }
  });

  it('of the coupon is not used up by a code that refuses', async () => {
    const program = newProgram();
    const coupon = await storeCoupon(program, { maxRedemptions: 2 });
    const capped = await storeCode(program, coupon, { maxRedemptions: 1 });
    await sell(program, capped.code);
    expect(await outcomeOf(() => sell(program, capped.code))).toEqual(refusedFor('code_limit_reached'));
    const { code } = await storeCode(program, coupon);
    expect(await outcomeOf(() => sell(program, code))).toBe('accepted');
  });

  it.each<Pick<RedemptionCase, 'code' | 'coupon'> & { reason: RedemptionReason }>([
    { code: { maxRedemptions: 3 }, reason: 'code_limit_reached' },
    { coupon: { maxRedemptions: 3 }, reason: 'coupon_limit_reached' },
    { code: { maxRedemptions: 3 }, coupon: { maxRedemptions: 4 }, reason: 'code_limit_reached' },
    { code: { maxRedemptions: 4 }, coupon: { maxRedemptions: 3 }, reason: 'coupon_limit_reached' },
  ])('race: $code $coupon accepts three of ten buyers', async ({ reason, ...terms }) => {
    const program = newProgram();
    const { code } = await codeOf(program, terms);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => outcomeOf(() => sell(program, code))));
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(3);
    expect(outcomes.filter((outcome) => outcome !== 'accepted')).toEqual(Array(7).fill(refusedFor(reason)));
  });

  it.each<Pick<RedemptionCase, 'code' | 'coupon'> & { reason: RedemptionReason }>([
    { code: { maxRedemptions: 1 }, reason: 'code_limit_reached' },
    { coupon: { maxRedemptions: 1 }, reason: 'coupon_limit_reached' },
  ])('that is used up is the reason before what the purchase lacks: $reason', async ({ code, coupon, reason }) => {
    const program = newProgram();
    const stored = await codeOf(program, { code: { ...minimum, ...code }, ...(coupon && { coupon }) });
    expect(await outcomeOf(() => sell(program, stored.code, { amount: 1 }))).toEqual(
      refusedFor('below_minimum_amount'),
    );
    await sell(program, stored.code);
    const refer = () => createReferral(program, bodyOf(referralOperation, referred(stored.code)), now);
    for (const redeem of [() => sell(program, stored.code, { amount: 1 }), refer])
      expect(await outcomeOf(redeem)).toEqual(refusedFor(reason));
  });

  it.each([
    { caps: {}, markers: 1 },
    { caps: { code: { maxRedemptions: 2 } }, markers: 1 },
    { caps: { coupon: { maxRedemptions: 2 } }, markers: 1 },
    { caps: { code: { maxRedemptions: 2 }, coupon: { maxRedemptions: 2 } }, markers: 0 },
  ])('that takes no use leaves the redemption to be counted: $caps', async ({ caps, markers }) => {
    const program = newProgram();
    const { id, couponId, code } = await codeOf(program, caps);
    await sell(program, code);
    expect(await hasUncounted(program.id, couponId, id)).toBe(markers === 1);
  });
});
