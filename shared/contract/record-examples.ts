import type * as z from 'zod';
import { Affiliate } from './affiliates.ts';
import { BareCoupon } from './coupons.ts';
import { Export } from './exports.ts';
import { Group } from './groups.ts';
import { Link } from './links.ts';
import { PayoutBatch } from './payout-batches.ts';
import { PromotionalCode } from './promotional-codes.ts';
import { Referral } from './referrals.ts';
import { Sale } from './sale.ts';

/** One record of each kind, of one story: what the documentation shows of responses and events. */

type MayBeNull<Response> = { [Name in keyof Response]: null extends Response[Name] ? Name : never }[keyof Response];
type Example<Response> = Omit<Response, MayBeNull<Response>> & Partial<Pick<Response, MayBeNull<Response>>>;

/** An example of a response, in which what it does not name is null. */
const exampleOf = <Schema extends z.ZodObject>(
  { shape }: Schema,
  named: Example<z.output<Schema>>,
): z.output<Schema> => {
  const entries = Object.entries({ ...named });
  const isNull = (name: string): boolean => !Object.hasOwn(named, name) && shape[name]?.def.type === 'nullable';
  const nulls = Object.keys(shape).flatMap((name) => (isNull(name) ? [[name, null] as const] : []));
  const place = Object.keys(shape);
  const inOrder = [...entries, ...nulls].toSorted(([one], [other]) => place.indexOf(one) - place.indexOf(other));
  // Safe: `named` has all that may not be null.
  return Object.fromEntries(inOrder) as z.output<Schema>;
};

export const affiliateExample = exampleOf(Affiliate, {
  id: '019a0000-0000-7000-8000-0000000000a1',
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  programId: '019a0000-0000-7000-8000-000000000001',
  firstName: 'Amara',
  lastName: 'Okafor',
  name: 'Amara Okafor',
  email: 'amara.okafor@example.com',
  status: 'ACTIVE',
  commissionRate: 20,
  paymentMethod: 'WISE',
  groupId: '019a0000-0000-7000-8000-0000000000e2',
  source: 'API',
  affiliateLinks: [
    {
      id: '019a0000-0000-7000-8000-0000000000b1',
      link: 'amara-okafor',
      createdAt: '2026-01-31T12:00:00.000Z',
      updatedAt: '2026-01-31T12:00:00.000Z',
    },
  ],
  numberOfReferredUsers: 0,
  numberOfClicks: 0,
  totalRevenue: 0,
  totalCommissionEarned: 0,
  totalCommissionPaid: 0,
  metadata: {},
});

export const groupExample = exampleOf(Group, {
  id: '019a0000-0000-7000-8000-0000000000e1',
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  programId: '019a0000-0000-7000-8000-000000000001',
  name: 'Partners',
  isDefault: false,
  commissionType: 'PERCENTAGE',
  commissionRate: 25,
  commissionMonths: 12,
  productRules: [{ productIds: ['starter'], type: 'FLAT', rate: null, amount: 5 }],
  tiers: [{ minimumRevenue: 10_000, minimumSales: null, period: 'MONTH', type: 'PERCENTAGE', rate: 30, amount: null }],
  holdDays: 30,
});

/** Of every program, also where nobody has edited it. */
export const defaultGroupExample = exampleOf(Group, {
  id: '019a0000-0000-7000-8000-0000000000e2',
  createdAt: '2026-01-01T12:00:00.000Z',
  updatedAt: '2026-01-01T12:00:00.000Z',
  programId: '019a0000-0000-7000-8000-000000000001',
  name: 'Default',
  isDefault: true,
  commissionType: 'PERCENTAGE',
  commissionRate: 20,
  productRules: [],
  tiers: [],
  holdDays: 0,
});

export const referralExample = exampleOf(Referral, {
  id: '019a0000-0000-7000-8000-0000000000b2',
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  affiliateId: '019a0000-0000-7000-8000-0000000000a1',
  affiliateProgramId: '019a0000-0000-7000-8000-000000000001',
  name: 'Priya Sharma',
  email: 'priya.sharma@example.net',
  plan: 'starter',
  subscriptionStatus: 'ACTIVE',
  source: 'API',
  totalRevenue: 0,
  totalCommission: 0,
  metadata: {},
});

export const saleExample = exampleOf(Sale, {
  id: 371820736512,
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  affiliateId: '019a0000-0000-7000-8000-0000000000a1',
  affiliateProgramId: '019a0000-0000-7000-8000-000000000001',
  promotionalCodeId: '019a0000-0000-7000-8000-0000000000d1',
  externalId: 'order-1042',
  email: 'customer@example.com',
  totalEarned: 49.9,
  commissionRate: 20,
  commissionEarned: 9.98,
  commissionRule: {
    source: 'PROGRAM',
    type: 'PERCENTAGE',
    rate: 20,
    amount: null,
    groupId: '019a0000-0000-7000-8000-0000000000e1',
  },
  payableAt: '2026-01-31T12:00:00.000Z',
  refundedAmount: 0,
  productsBought: [],
  status: 'ACTIVE',
  reviewReasons: [],
  source: 'API',
  metadata: {},
});

/** The first half of it is given back. */
export const refundedSaleExample: z.output<typeof Sale> = {
  ...saleExample,
  updatedAt: '2026-02-01T12:00:00.000Z',
  commissionEarned: 4.99,
  refundedAmount: 24.95,
  status: 'PARTIALLY_REFUNDED',
  refundedAt: '2026-02-01T12:00:00.000Z',
};

export const heldSaleExample: z.output<typeof Sale> = {
  ...saleExample,
  updatedAt: '2026-01-31T12:05:00.000Z',
  reviewStatus: 'HELD',
  reviewReasons: ['BURST'],
};

export const approvedSaleExample: z.output<typeof Sale> = {
  ...heldSaleExample,
  updatedAt: '2026-02-01T12:00:00.000Z',
  reviewStatus: 'APPROVED',
};

export const rejectedSaleExample: z.output<typeof Sale> = {
  ...heldSaleExample,
  updatedAt: '2026-02-01T12:00:00.000Z',
  commissionEarned: 0,
  reviewStatus: 'REJECTED',
};

export const linkExample = exampleOf(Link, {
  id: '019a0000-0000-7000-8000-0000000000b1',
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  link: 'amara-okafor',
  affiliate: {
    id: '019a0000-0000-7000-8000-0000000000a1',
    name: 'Amara Okafor',
    email: 'amara.okafor@example.com',
  },
  program: { id: '019a0000-0000-7000-8000-000000000001', name: 'Example', currency: 'USD' },
  promotionalCodes: [],
  clicks: 0,
  referrals: 0,
  sales: 0,
  totalRevenue: 0,
  fullURLs: [{ baseUrl: 'https://example.com', fullUrl: 'https://example.com/?ref=amara-okafor' }],
});

export const bareCouponExample = exampleOf(BareCoupon, {
  id: '019a0000-0000-7000-8000-0000000000c1',
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  name: 'Spring',
  couponType: 'PERCENTAGE',
  percentOff: 20,
  duration: 'once',
  timesRedeemed: 0,
  allowAffiliateCodes: false,
  couponCategory: 'CUSTOMER',
  limitToProducts: false,
  productIds: [],
  collectionIds: [],
  valid: true,
  affiliateProgramId: '019a0000-0000-7000-8000-000000000001',
  metadata: {},
});

/** A code that nobody has redeemed yet. */
export const codeExample = exampleOf(PromotionalCode, {
  id: '019a0000-0000-7000-8000-0000000000d1',
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  code: 'AMARA20',
  couponId: '019a0000-0000-7000-8000-0000000000c1',
  affiliateId: '019a0000-0000-7000-8000-0000000000a1',
  active: true,
  timesRedeemed: 0,
  firstTimeOrder: false,
  limitToCustomers: false,
  limitToAffiliate: false,
  isAutoGenerated: false,
  isAffiliateGenerated: false,
  affiliate: {
    id: '019a0000-0000-7000-8000-0000000000a1',
    firstName: 'Amara',
    lastName: 'Okafor',
    email: 'amara.okafor@example.com',
  },
  metadata: {},
  coupon: bareCouponExample,
});

export const preparingBatchExample = exampleOf(PayoutBatch, {
  id: '019a0000-0000-7000-8000-0000000000f1',
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  name: 'January',
  status: 'PREPARING',
  periodEnd: '2026-01-31T12:00:00.000Z',
  currency: 'USD',
  payoutCount: 0,
  saleCount: 0,
  totalAmount: 0,
  source: 'API',
});

export const readyBatchExample: z.output<typeof PayoutBatch> = {
  ...preparingBatchExample,
  updatedAt: '2026-01-31T12:00:02.000Z',
  status: 'READY',
  payoutCount: 2,
  saleCount: 14,
  totalAmount: 129.35,
};

export const paidBatchExample: z.output<typeof PayoutBatch> = {
  ...readyBatchExample,
  updatedAt: '2026-02-01T12:00:00.000Z',
  status: 'PAID',
  paidAt: '2026-02-01T12:00:00.000Z',
};

export const requestedExportExample = exampleOf(Export, {
  id: '019a0000-0000-7000-8000-0000000000f8',
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  status: 'REQUESTED',
  counts: {},
});

export const doneExportExample: z.output<typeof Export> = {
  ...requestedExportExample,
  updatedAt: '2026-01-31T12:00:03.000Z',
  status: 'DONE',
  counts: { groups: 2, affiliates: 24, links: 31, referrals: 190, coupons: 3, 'promotional-codes': 24, sales: 412 },
  bytes: 84_213,
  finishedAt: '2026-01-31T12:00:03.000Z',
  expiresAt: '2026-02-07T12:00:03.000Z',
  downloadUrl: 'https://files.example.com/export.zip?X-Amz-Expires=300&X-Amz-Signature=0a1b2c',
};
