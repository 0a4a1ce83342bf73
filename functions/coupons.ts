import { couponOperations } from '../shared/contract/coupons.ts';
import { requireRecord } from '../shared/contract/errors.ts';
import { createCoupon } from '../shared/domain/coupons/create-coupon.ts';
import { deleteCoupon } from '../shared/domain/coupons/delete-coupon.ts';
import { listCoupons } from '../shared/domain/coupons/list-coupons.ts';
import { coupons } from '../shared/domain/coupons/repository.ts';
import { bareCouponResponse } from '../shared/domain/coupons/rules.ts';
import { updateCoupon } from '../shared/domain/coupons/update-coupon.ts';
import { beginCodesOf, couponResponse, couponResponses } from '../shared/domain/promotional-codes/coupon-responses.ts';
import { withExactUses } from '../shared/domain/uses/counters.ts';
import { apiPath } from '../shared/http/api.ts';
import { respondWithPage, selectorOf } from '../shared/http/selectors.ts';

type CouponSelector = { name: 'id' | 'externalId'; value: string };

const readOne = async (program: { id: string }, { name, value }: CouponSelector, now: Date) => {
  const id = name === 'id' ? value : (await coupons.findName(program.id, 'EXTERNAL_ID', value))?.id;
  const codes = id === undefined ? undefined : beginCodesOf(program, id);
  const coupon = requireRecord(id === undefined ? undefined : await coupons.get(program.id, id), 'Coupon');
  return couponResponse(program, await withExactUses(program.id, 'COUPON', coupon), now, codes);
};

export const handler = apiPath(couponOperations, {
  readCoupon: ({ program, parameters, now }) => readOne(program, parameters.id, now),
  listCoupons: async ({ program, query, page, now }) => {
    const selector = selectorOf(query, ['id', 'externalId']);
    if (selector) return readOne(program, selector, now);
    const found = await listCoupons(program.id, query, page, now);
    return respondWithPage(found, (listed) => couponResponses(program, listed, now));
  },
  createCoupon: async ({ program, body, now, idempotency }) => ({
    ...bareCouponResponse(await createCoupon(program.id, body, now, idempotency), program.id, now),
    promotionalCodes: [],
  }),
  updateCoupon: async ({ program, body, expectedVersions, now }) => {
    const codes = beginCodesOf(program, body.couponId);
    const changed = await updateCoupon(program.id, body, expectedVersions, now);
    return couponResponse(program, await withExactUses(program.id, 'COUPON', changed), now, codes);
  },
  deleteCoupon: async ({ program, body, expectedVersions, now }) => {
    const { id, name } = await deleteCoupon(program.id, body.couponId, expectedVersions, now);
    return { message: 'Coupon deleted', deletedCoupon: { id, name } };
  },
});
