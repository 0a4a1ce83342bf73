import type { StoredAffiliate } from '../../shared/affiliates/rules.ts';
import type { StoredCoupon } from '../../shared/coupons/rules.ts';
import type { StoredLink } from '../../shared/links/rules.ts';
import type { StoredReferral } from '../../shared/referrals/rules.ts';

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
  automaticSlot: null,
  metadata: {},
  ...overrides,
});

/** A link that nobody has used, as the table keeps it. */
export const makeStoredLink = (overrides: Partial<StoredLink> = {}): StoredLink => ({
  id: '019a0000-0000-7000-8000-0000000000d1',
  createdAt: moment,
  updatedAt: moment,
  version: 1,
  link: 'amara',
  affiliateId: '019a0000-0000-7000-8000-0000000000a1',
  clicks: 0,
  referrals: 0,
  sales: 0,
  totalRevenueMinor: 0,
  ...overrides,
});

/** A referral that nobody brought, as the table keeps it. */
export const makeStoredReferral = (overrides: Partial<StoredReferral> = {}): StoredReferral => ({
  id: '019a0000-0000-7000-8000-0000000000e1',
  createdAt: moment,
  updatedAt: moment,
  version: 1,
  affiliateId: null,
  affiliateLinkId: null,
  promotionalCodeId: null,
  name: 'Priya Sharma',
  email: 'priya@example.com',
  referredUserExternalId: null,
  plan: null,
  subscriptionStatus: 'ACTIVE',
  referralMedium: null,
  source: 'API',
  totalRevenueMinor: 0,
  totalCommissionMinor: 0,
  notes: null,
  metadata: {},
  ...overrides,
});
