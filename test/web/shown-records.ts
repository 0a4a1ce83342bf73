import { codeResponse } from '../../shared/domain/promotional-codes/responses.ts';
import { makeStoredSale } from '../support/sales.ts';
import {
  makeStoredAffiliate,
  makeStoredCode,
  makeStoredCoupon,
  makeStoredReferral,
} from '../support/stored-records.ts';
import { programShown } from './shown.ts';

// Records with a value in most fields, which belong together.

export const now = new Date('2026-03-31T12:00:00.000Z');
export const program = programShown();
export const affiliate = makeStoredAffiliate({
  commissionRate: 25,
  externalId: 'crm-1',
  payoutEmail: 'pay@example.com',
  paymentMethod: 'PAYPAL',
  metadata: { tier: 'gold' },
});
export const referral = makeStoredReferral({
  affiliateId: affiliate.id,
  plan: 'pro',
  notes: 'Met at the fair',
  referredUserExternalId: 'user-1',
  totalRevenueMinor: 12_345,
  totalCommissionMinor: 2469,
});
export const coupon = makeStoredCoupon({
  externalId: 'shop-1',
  maxRedemptions: 50,
  redeemBy: '2026-12-31T00:00:00.000Z',
});
export const code = makeStoredCode({
  affiliateId: affiliate.id,
  maxRedemptions: 5,
  timesRedeemed: 2,
  firstTimeOrder: true,
});
export const sale = makeStoredSale(affiliate.id, {
  id: '0279716659200001',
  createdAt: '2026-03-01T09:30:00.000Z',
  name: 'Priya Sharma',
  email: 'priya@example.com',
  externalId: 'order-1',
  externalInvoiceId: 'invoice-1',
  customerId: 'customer-1',
  refundedAmountMinor: 2500,
  refundedAt: '2026-03-05T10:00:00.000Z',
  status: 'PARTIALLY_REFUNDED',
  payoutBatchId: '019a0000-0000-7000-8000-0000000000b1',
  paidAt: '2026-03-20T10:00:00.000Z',
  promotionalCodeId: code.id,
  referralId: referral.id,
  commissionRule: {
    source: 'TIER',
    type: 'PERCENTAGE',
    rate: 10,
    amountMinor: null,
    groupId: '019a0000-0000-7000-8000-0000000000c9',
    tier: { period: 'MONTH', measure: 'REVENUE', minimum: 50_000, reached: '61250' },
    overSince: null,
  },
  payableAt: '2026-03-31T09:30:00.000Z',
  attribution: {
    via: 'CLICK',
    affiliateLinkId: '019a0000-0000-7000-8000-0000000000d1',
    promotionalCodeId: code.id,
    clickedAt: '2026-02-27T08:00:00.000Z',
  },
});
export const shownCode = codeResponse(program, { code, coupon, affiliate }, now);
