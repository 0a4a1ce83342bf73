import { describe, expect, it } from 'vitest';
import { updateCoupon as couponUpdate } from '../../../shared/contract/coupons.ts';
import { updatePromotionalCode as codeUpdate } from '../../../shared/contract/promotional-codes.ts';
import { createReferral as referralOperation } from '../../../shared/contract/referrals.ts';
import { createSale as saleOperation } from '../../../shared/contract/sales.ts';
import { deleteCoupon } from '../../../shared/domain/coupons/delete-coupon.ts';
import { coupons } from '../../../shared/domain/coupons/repository.ts';
import type { StoredCoupon } from '../../../shared/domain/coupons/rules.ts';
import { updateCoupon } from '../../../shared/domain/coupons/update-coupon.ts';
import { deletePromotionalCode } from '../../../shared/domain/promotional-codes/delete-promotional-code.ts';
import { promotionalCodes } from '../../../shared/domain/promotional-codes/repository.ts';
import type { StoredPromotionalCode } from '../../../shared/domain/promotional-codes/rules.ts';
import { updatePromotionalCode } from '../../../shared/domain/promotional-codes/update-promotional-code.ts';
import { createReferral } from '../../../shared/domain/referrals/create-referral.ts';
import { referrals } from '../../../shared/domain/referrals/repository.ts';
import { createSale } from '../../../shared/domain/sales/create-sale.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { withExactUses } from '../../../shared/domain/uses/counters.ts';
import {
  at,
  bodyOf,
  newProgram,
  now,
  outcomeOf,
  storeAffiliate,
  storeCode,
  storeCoupon,
} from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';

/** A code with a coupon, and how often each was redeemed, as its cap says. */
const setUp = async (code: Partial<StoredPromotionalCode> = {}, coupon: Partial<StoredCoupon> = {}) => {
  const program = newProgram();
  const storedCoupon = await storeCoupon(program, coupon);
  const stored = await storeCode(program, storedCoupon, code);
  const sell = (input: object = {}) =>
    createSale(program, bodyOf(saleOperation, { totalEarned: 100, promoCode: stored.code, ...input }), now);
  const editCode = (maxRedemptions: number | null) =>
    updatePromotionalCode(
      program,
      bodyOf(codeUpdate, { promotionalCodeId: stored.id, maxRedemptions }),
      undefined,
      now,
    );
  const editCoupon = (maxRedemptions: number | null) =>
    updateCoupon(program.id, bodyOf(couponUpdate, { couponId: storedCoupon.id, maxRedemptions }), undefined, now);
  const codeUses = async () => {
    const found = await promotionalCodes.get(program.id, stored.id);
    return found && (await withExactUses(program.id, 'PROMOTIONAL_CODE', found)).timesRedeemed;
  };
  const couponUses = async () => {
    const found = await coupons.get(program.id, storedCoupon.id);
    return found && (await withExactUses(program.id, 'COUPON', found)).timesRedeemed;
  };
  const saleCount = async () => (await sales.page(program.id, { limit: 100 })).items.length;
  return { program, code: stored, coupon: storedCoupon, sell, editCode, editCoupon, codeUses, couponUses, saleCount };
};

const used = (code: 'code_limit_reached' | 'coupon_limit_reached') => ({ status: 400, path: 'promoCode', code });

describe('race: the last use', () => {
  it.each([
    { of: 'the code alone', code: { maxRedemptions: 1 }, coupon: {}, reason: used('code_limit_reached') },
    { of: 'the coupon alone', code: {}, coupon: { maxRedemptions: 1 }, reason: used('coupon_limit_reached') },
    {
      of: 'the code, below that of its coupon',
      code: { maxRedemptions: 1 },
      coupon: { maxRedemptions: 5 },
      reason: used('code_limit_reached'),
    },
    {
      of: 'the coupon, below that of its code',
      code: { maxRedemptions: 5 },
      coupon: { maxRedemptions: 1 },
      reason: used('coupon_limit_reached'),
    },
  ])('of $of is taken once', async ({ code, coupon, reason }) => {
    const { sell, saleCount } = await setUp(code, coupon);
    expect(await outcomeOf(() => interrupted(sell, sell))).toEqual(reason);
    expect(await saleCount()).toBe(1);
    expect(await outcomeOf(sell)).toEqual(reason);
  });

  it('is of the same sale where that was sent twice', async () => {
    const { sell, saleCount, codeUses } = await setUp({ maxRedemptions: 1 });
    const send = () => sell({ externalId: 'order-1' });
    const ids: string[] = [];
    const first = await interrupted(send, async () => ids.push((await send()).id));
    expect(ids).toEqual([first.id]);
    expect(await saleCount()).toBe(1);
    expect(await codeUses()).toBe(1);
  });

  it('is of the same referral where that was sent twice', async () => {
    const { program, code, codeUses } = await setUp({ maxRedemptions: 1 });
    const body = { name: 'Priya', email: 'priya@example.com', promoCode: code.code };
    const send = () => createReferral(program, bodyOf(referralOperation, body), now);
    const ids: string[] = [];
    const first = await interrupted(send, async () => ids.push((await send()).id));
    expect(ids).toEqual([first.id]);
    expect(await codeUses()).toBe(1);
  });
});

describe('race: a redemption', () => {
  it.each([
    { is: 'the cap of the code is lowered', edit: 'editCode', to: 1, reason: used('code_limit_reached') },
    { is: 'the cap of the coupon is lowered', edit: 'editCoupon', to: 1, reason: used('coupon_limit_reached') },
  ] as const)('after which $is is the last one', async ({ edit, to, reason }) => {
    const made = await setUp({ maxRedemptions: 3 }, { maxRedemptions: 3 });
    await made.sell();
    await made[edit](to);
    expect(await outcomeOf(made.sell)).toEqual(reason);
    await made[edit](2);
    expect(await outcomeOf(made.sell)).toBe('accepted');
    expect(await outcomeOf(made.sell)).toEqual(reason);
    expect(await made.saleCount()).toBe(2);
  });

  it.each([
    { write: 1, edit: 'editCode' },
    { write: 1, edit: 'editCoupon' },
    { write: 2, edit: 'editCode' },
  ] as const)(
    'beside a second one brings a lowered cap in force once: $edit, overtaken at its write $write',
    async ({ write, edit }) => {
      // 40 uses lie in three shards; the edit takes 37 of them away.
      const cap = { maxRedemptions: 40 };
      const made = await (edit === 'editCode' ? setUp(cap) : setUp({}, cap));
      await made.sell();
      await made[edit](3);
      await interrupted(made.sell, made.sell, write);
      expect(await made.saleCount()).toBe(3);
      expect(await outcomeOf(made.sell)).toMatchObject({ status: 400 });
    },
  );

  it.each(['editCode', 'editCoupon'] as const)('brings a raised cap in force once: %s', async (edit) => {
    const made = await (edit === 'editCode' ? setUp({ maxRedemptions: 1 }) : setUp({}, { maxRedemptions: 1 }));
    await made.sell();
    await made[edit](3);
    await interrupted(made.sell, made.sell);
    expect(await (edit === 'editCode' ? made.codeUses : made.couponUses)()).toBe(3);
    expect(await outcomeOf(made.sell)).toMatchObject({ status: 400 });
  });

  it.each(['editCode', 'editCoupon'] as const)('takes none of a shard that is emptied in between: %s', async (edit) => {
    const made = await (edit === 'editCode' ? setUp({ maxRedemptions: 2 }) : setUp({}, { maxRedemptions: 2 }));
    await made[edit](1);
    // It reads two free uses and takes one of them away; the other sale takes what is left.
    await interrupted(made.sell, made.sell).catch(() => undefined);
    expect(await made.saleCount()).toBe(1);
    expect(await outcomeOf(made.sell)).toMatchObject({ status: 400 });
  });

  it('of a code whose first cap is replaced while it is settled uses the new one', async () => {
    const old = { createdAt: at(-3_600_000), cappedSince: at(-1_800_000), isCapEdited: true };
    const { sell, editCode, codeUses } = await setUp({ maxRedemptions: 5, ...old });
    await interrupted(sell, async () => {
      await editCode(null);
      await editCode(4);
    }).catch(() => undefined);
    expect(await codeUses()).toBeLessThanOrEqual(1);
  }, 30_000);

  it('of a code that is deleted in between is refused, and one that overtakes the deletion counts', async () => {
    const { program, code, sell, saleCount } = await setUp({ maxRedemptions: 3 });
    const remove = () => deletePromotionalCode(program.id, code.id, undefined, now);
    expect(await outcomeOf(() => interrupted(remove, sell))).toBe('accepted');
    expect(await saleCount()).toBe(1);
    const other = await setUp({ maxRedemptions: 3 });
    const removeOther = () => deletePromotionalCode(other.program.id, other.code.id, undefined, now);
    expect(await outcomeOf(() => interrupted(other.sell, removeOther))).toEqual({
      status: 400,
      path: 'promoCode',
      code: 'code_not_found',
    });
    expect(await other.saleCount()).toBe(0);
  });

  it.each(['code', 'coupon'] as const)(
    'while a %s is deleted that gets more uses in between leaves none of them',
    async (which) => {
      const made = await setUp({ maxRedemptions: 1 }, { maxRedemptions: 1 });
      const { program, code, coupon } = made;
      // The edited cap is brought in force by the sale that overtakes the deletion.
      await made.editCode(3);
      await made.editCoupon(3);
      const remove = (): Promise<{ id: string }> =>
        which === 'code'
          ? deletePromotionalCode(program.id, code.id, undefined, now)
          : deleteCoupon(program.id, coupon.id, undefined, now);
      await interrupted(remove, made.sell);
      expect(await made.saleCount()).toBe(1);
      const id = which === 'code' ? code.id : coupon.id;
      const kind = which === 'code' ? 'PROMOTIONAL_CODE' : 'COUPON';
      expect(
        (await withExactUses(program.id, kind, { ...(which === 'code' ? code : coupon), id, maxRedemptions: 3 }))
          .timesRedeemed,
      ).toBe(0);
    },
  );
});

describe('race: the first order of a customer', () => {
  it('is one: a second one in between takes it', async () => {
    const { sell, saleCount } = await setUp({ firstTimeOrder: true });
    const first = () => sell({ email: 'priya@example.com' });
    expect(await outcomeOf(() => interrupted(first, first))).toEqual({
      status: 400,
      path: 'promoCode',
      code: 'first_order_only',
    });
    expect(await saleCount()).toBe(1);
  });
});

describe('race: a referral', () => {
  it('whose external id is taken in between is refused', async () => {
    const program = newProgram();
    const { id: affiliateId } = await storeAffiliate(program);
    const create = (email: string) => () =>
      createReferral(
        program,
        bodyOf(referralOperation, { name: 'Priya', email, affiliateId, referredUserExternalId: 'user-1' }),
        now,
      );
    const outcome = await outcomeOf(() => interrupted(create('a@example.com'), create('b@example.com')));
    expect(outcome).toEqual({ status: 400, path: 'referredUserExternalId' });
    expect((await referrals.page(program.id, { limit: 10 })).items).toHaveLength(1);
  });

  it('whose email is taken in between is that one, or a conflict where it is of another affiliate', async () => {
    const program = newProgram();
    const [one, other] = [await storeAffiliate(program), await storeAffiliate(program)];
    const create = (affiliateId: string, email: string) => () =>
      createReferral(program, bodyOf(referralOperation, { name: 'Priya', email, affiliateId }), now);
    await interrupted(create(one.id, 'a@example.com'), create(one.id, 'a@example.com'));
    const outcome = await outcomeOf(() =>
      interrupted(create(one.id, 'b@example.com'), create(other.id, 'b@example.com')),
    );
    expect(outcome).toEqual({ status: 400, path: 'email' });
    expect((await referrals.page(program.id, { limit: 10 })).items).toHaveLength(2);
  });
});
