import * as z from 'zod';
import { reviewReasons, reviewStatuses } from '../../contract/review.ts';
import { type Sale, saleStatuses } from '../../contract/sale.ts';
import { fromMinor } from '../../platform/money/money.ts';
import { storedFields } from '../../platform/table/keys.ts';
import { StoredAttribution } from '../attribution/attribution.ts';
import { StoredRedemption } from '../attribution/redemption.ts';
import { commissionRuleResponse, earnedMinor, percent, StoredCommissionRule } from '../commissions/rules.ts';
import { withCountedMark } from '../statistics/counted-mark.ts';

const SaleItem = z.object({
  ...storedFields,
  affiliateId: z.string().nullable(),
  referralId: z.string().nullable(),
  affiliateLinkId: z.string().nullable(),
  referringHost: z.string().nullable().default(null),
  promotionalCodeId: z.string().nullable(),
  redemption: StoredRedemption.nullable().default(null),
  externalId: z.string().nullable(),
  externalInvoiceId: z.string().nullable(),
  customerId: z.string().nullable(),
  /** Absent in sales of earlier versions. docs/behavior.md#day-of-a-sale */
  day: z.string().optional(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  totalEarnedMinor: z.number(),
  /** Percent; 0 where the rule is a flat amount. */
  commissionRate: z.number(),
  /** What decided the commission. Null where nobody is credited, and in sales of earlier versions. */
  commissionRule: StoredCommissionRule.nullable().default(null),
  /** Of what was not refunded; fixed while the sale is in a payout batch. */
  commissionEarnedMinor: z.number(),
  refundedAmountMinor: z.number(),
  productsBought: z.array(
    z.object({
      productId: z.string(),
      name: z.string().nullable(),
      quantity: z.number().nullable(),
      price: z.number().nullable(),
    }),
  ),
  status: z.enum(saleStatuses),
  /** Null where no rule held the sale. docs/behavior.md#review-of-sales */
  reviewStatus: z.enum(reviewStatuses).nullable().default(null),
  reviewReasons: z.array(z.enum(reviewReasons)).default([]),
  refundedAt: z.string().nullable(),
  /** Absent in sales of earlier versions. docs/behavior.md#when-a-commission-can-be-paid */
  payableAt: z.string().optional(),
  payoutBatchId: z.string().nullable(),
  paidAt: z.string().nullable(),
  source: z.enum(['API', 'PORTAL', 'IMPORTED']),
  /** What tells an imported sale without external id from others. docs/behavior.md#imports */
  importKey: z.string().nullable().default(null),
  attribution: StoredAttribution.default(null),
  inStatistics: z.boolean().default(false),
  /** Tells the same sale sent again from another one with its external id. */
  searchWords: z.array(z.string()).default([]),
  contentHash: z.string(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

export const StoredSale = z.preprocess(withCountedMark, SaleItem);
export type StoredSale = z.infer<typeof StoredSale>;

/** What it was created with, or the day in UTC where it was counted then. docs/behavior.md#day-of-a-sale */
export const dayOfSale = ({ day, createdAt }: Pick<StoredSale, 'day' | 'createdAt'>): string =>
  day ?? createdAt.slice(0, 10);

/** From when on a payout batch may pay the commission. docs/behavior.md#when-a-commission-can-be-paid */
export const payableAtOf = ({ payableAt, createdAt }: StoredSale): string => payableAt ?? createdAt;

export const weekMilliseconds = 7 * 24 * 60 * 60 * 1000;

/** Begun weeks between a sale and its payment; 0 without a hold. */
export const weeksOfHold = (sale: StoredSale): number =>
  Math.max(0, Math.ceil((Date.parse(payableAtOf(sale)) - Date.parse(sale.createdAt)) / weekMilliseconds));

export const saleResponse = (sale: StoredSale, program: { id: string; currency: string }): z.input<typeof Sale> => ({
  ...sale,
  id: Number(sale.id),
  affiliateProgramId: program.id,
  totalEarned: fromMinor(sale.totalEarnedMinor, program.currency),
  commissionEarned: fromMinor(sale.commissionEarnedMinor, program.currency),
  refundedAmount: fromMinor(sale.refundedAmountMinor, program.currency),
  commissionRule: commissionRuleResponse(sale.commissionRule, program.currency),
  payableAt: payableAtOf(sale),
});

type Kept = Pick<StoredSale, 'commissionRule' | 'commissionRate' | 'totalEarnedMinor' | 'refundedAmountMinor'>;

/** In minor units, by the rule that the sale keeps, as long as it is not rejected. docs/behavior.md#commission */
export const commissionUnlessRejected = ({
  commissionRule,
  commissionRate,
  totalEarnedMinor,
  refundedAmountMinor,
}: Kept): number => earnedMinor(commissionRule ?? percent(commissionRate), totalEarnedMinor, refundedAmountMinor);

/** In minor units: 0 once the sale is rejected. docs/behavior.md#review-of-sales */
export const commissionOfSale = (sale: Kept & Pick<StoredSale, 'reviewStatus'>): number =>
  sale.reviewStatus === 'REJECTED' ? 0 : commissionUnlessRejected(sale);

/** In minor units; folded into the sale if its batch is deleted. */
export const adjustedMinor = (sale: StoredSale): number => sale.commissionEarnedMinor - commissionOfSale(sale);

export const statusOf = (totalMinor: number, refundedMinor: number): StoredSale['status'] => {
  if (refundedMinor === 0) return 'ACTIVE';
  return refundedMinor === totalMinor ? 'REFUNDED' : 'PARTIALLY_REFUNDED';
};

/** Computed from refund to refund, so that all together take back exactly the commission. docs/behavior.md#refunds */
export const refunded = (
  sale: StoredSale,
  amountMinor: number,
  now: Date,
): { sale: StoredSale; adjustmentMinor: number } => {
  const refundedAmountMinor = sale.refundedAmountMinor + amountMinor;
  const differenceMinor = commissionOfSale({ ...sale, refundedAmountMinor }) - commissionOfSale(sale);
  const isInBatch = sale.payoutBatchId !== null;
  return {
    sale: {
      ...sale,
      updatedAt: now.toISOString(),
      refundedAmountMinor,
      commissionEarnedMinor: sale.commissionEarnedMinor + (isInBatch ? 0 : differenceMinor),
      status: statusOf(sale.totalEarnedMinor, refundedAmountMinor),
      refundedAt: now.toISOString(),
    },
    adjustmentMinor: isInBatch ? differenceMinor : 0,
  };
};

const undecided: readonly unknown[] = ['HELD', 'REJECTED'];

/** Who earns by a sale, unless it is held for review or was rejected. */
export const creditedAffiliate = (
  sale: { affiliateId?: unknown; reviewStatus?: unknown } | undefined,
): string | undefined =>
  typeof sale?.affiliateId === 'string' && !undecided.includes(sale.reviewStatus) ? sale.affiliateId : undefined;

/** A sale refunded in full may still be payable: its batch was deleted while the adjustment is in another one. */
export const isPayable = (sale: StoredSale): boolean =>
  sale.affiliateId !== null &&
  sale.payoutBatchId === null &&
  sale.reviewStatus !== 'HELD' &&
  ((sale.status !== 'REFUNDED' && sale.reviewStatus !== 'REJECTED') || sale.commissionEarnedMinor > 0);
