import type { StoredAffiliate } from '../../shared/affiliates/rules.ts';
import type { StoredCoupon } from '../../shared/coupons/rules.ts';

const moment = '2026-01-01T00:00:00.000Z';

/** An affiliate as the table keeps it. */
export const makeStoredAffiliate = (overrides: Partial<StoredAffiliate> = {}): StoredAffiliate => ({
  id: '019a0000-0000-7000-8000-0000000000a1',
  createdAt: moment,
  updatedAt: moment,
  version: 1,
  firstName: 'Amara',
  lastName: 'Okafor',
  email: 'amara@example.com',
  status: 'ACTIVE',
  commissionRate: null,
  payoutEmail: null,
  paymentMethod: null,
  externalId: null,
  source: 'API',
  links: {},
  numberOfReferredUsers: 0,
  numberOfClicks: 0,
  totalRevenueMinor: 0,
  totalCommissionEarnedMinor: 0,
  totalCommissionPaidMinor: 0,
  metadata: {},
  ...overrides,
});

/** A coupon of 20 % as the table keeps it. */
export const makeStoredCoupon = (overrides: Partial<StoredCoupon> = {}): StoredCoupon => ({
  id: '019a0000-0000-7000-8000-0000000000c1',
  createdAt: moment,
  updatedAt: moment,
  version: 1,
  name: 'Spring',
  externalId: null,
  couponType: 'PERCENTAGE',
  percentOff: 20,
  amountOffMinor: null,
  currency: null,
  duration: 'forever',
  durationInMonths: null,
  maxRedemptions: null,
  timesRedeemed: 0,
  couponCategory: 'CUSTOMER',
  limitToProducts: false,
  productIds: [],
  collectionIds: [],
  enabled: true,
  redeemBy: null,
  integrationType: null,
  autoCouponRule: null,
  automaticSince: null,
  metadata: {},
  ...overrides,
});
