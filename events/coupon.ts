import { BareCoupon } from '../shared/contract/coupons.ts';
import { bareCouponExample } from '../shared/contract/record-examples.ts';
import { bareCouponResponse, StoredCoupon } from '../shared/domain/coupons/rules.ts';
import { eventFamily } from './family.ts';

export const couponEvents = eventFamily({
  name: 'coupon',
  kind: 'COUPON',
  noun: 'coupon',
  stored: StoredCoupon,
  // Codes have events of their own: a coupon with many would make events that are too large.
  response: BareCoupon,
  toResponse: async (program, coupon, now) => bareCouponResponse(coupon, program.id, now),
  notEdited: ['timesRedeemed'],
  example: bareCouponExample,
  editedExample: { ...bareCouponExample, updatedAt: '2026-02-01T12:00:00.000Z', percentOff: 25 },
});
