import type * as z from 'zod';
import { BareCoupon } from '../shared/contract/coupons.ts';
import { bareCouponResponse, StoredCoupon } from '../shared/domain/coupons/rules.ts';
import { eventFamily } from './family.ts';

/** A coupon as it appears inside the examples of its codes. */
export const exampleBareCoupon: z.output<typeof BareCoupon> = {
  id: '019a0000-0000-7000-8000-0000000000c1',
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  name: 'Spring',
  externalId: null,
  couponType: 'PERCENTAGE',
  percentOff: 20,
  amountOff: null,
  currency: null,
  duration: 'once',
  durationInMonths: null,
  maxRedemptions: null,
  timesRedeemed: 0,
  couponCategory: 'CUSTOMER',
  limitToProducts: false,
  productIds: [],
  collectionIds: [],
  valid: true,
  redeemBy: null,
  integrationType: null,
  affiliateProgramId: '019a0000-0000-7000-8000-000000000001',
  autoCouponRule: null,
  metadata: {},
};

export const couponEvents = eventFamily({
  name: 'coupon',
  kind: 'COUPON',
  noun: 'coupon',
  stored: StoredCoupon,
  // Codes have events of their own: a coupon with many would make events that are too large.
  response: BareCoupon,
  toResponse: async (program, coupon, now) => bareCouponResponse(coupon, program.id, now),
  notEdited: ['timesRedeemed'],
  example: exampleBareCoupon,
  editedExample: { ...exampleBareCoupon, updatedAt: '2026-02-01T12:00:00.000Z', percentOff: 25 },
});
