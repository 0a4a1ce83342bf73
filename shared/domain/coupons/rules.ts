import * as z from 'zod';
import { bounds } from '../../contract/bounds.ts';
import {
  AutoCouponRule,
  type BareCoupon,
  couponCategories,
  couponDurations,
  couponTypes,
  integrationTypes,
} from '../../contract/coupons.ts';
import { fieldError } from '../../contract/errors.ts';
import { fromMinor } from '../../platform/money/money.ts';
import { storedFields } from '../../platform/table/keys.ts';

export const StoredCoupon = z.object({
  ...storedFields,
  name: z.string(),
  externalId: z.string().nullable(),
  couponType: z.enum(couponTypes),
  percentOff: z.number().nullable(),
  amountOffMinor: z.number().nullable(),
  currency: z.string().nullable(),
  duration: z.enum(couponDurations),
  durationInMonths: z.number().nullable(),
  maxRedemptions: z.number().nullable(),
  /** Kept by the totals worker; the shards of a cap know it at once. */
  timesRedeemed: z.number(),
  /** Redemptions that took no use from a cap's shards. */
  uncappedUses: z.number().default(0),
  /** When it last got a cap; null if never, so it has no shards. */
  cappedSince: z.string().nullable().default(null),
  /** After an edit of `maxRedemptions` the shards may differ from it. */
  isCapEdited: z.boolean().default(false),
  /** Whether `uncappedUses` has everything that was redeemed before the cap. */
  isSettled: z.boolean().default(false),
  couponCategory: z.enum(couponCategories),
  limitToProducts: z.boolean(),
  productIds: z.array(z.string()),
  collectionIds: z.array(z.string()),
  /** The stored switch; `valid` in the response also considers time and redemptions. */
  enabled: z.boolean(),
  redeemBy: z.string().nullable(),
  integrationType: z.enum(integrationTypes).nullable(),
  autoCouponRule: AutoCouponRule.nullable(),
  /** Affiliates created since then get a code; null while the rule is off. */
  automaticSince: z.string().nullable().default(null),
  /** The slot that bounds the number of automatic coupons. */
  automaticSlot: z.number().nullable().default(null),
  /** Whether affiliates may create codes of it in the portal. */
  allowAffiliateCodes: z.boolean().default(false),
  /** The payout batch that this copy was made for; null for coupons that people create. */
  payoutBatchId: z.string().nullable().default(null),
  /** The name by which an import knows it again: absent with an external id, once it is renamed, and in coupons of earlier versions. */
  importName: z.string().optional(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});
export type StoredCoupon = z.infer<typeof StoredCoupon>;

export const automaticSince = (
  rule: { enabled: boolean } | null | undefined,
  before: string | null,
  now: Date,
): string | null => (rule?.enabled ? (before ?? now.toISOString()) : null);

export const automaticSlots = {
  count: bounds.automaticCouponsOfProgram,
  whenFull: () =>
    fieldError(
      'autoCouponRule',
      `A program has at most ${bounds.automaticCouponsOfProgram} coupons with an enabled autoCouponRule. Disable one first.`,
    ),
};

/** Whether affiliates may create codes of it. docs/behavior.md#codes-by-affiliates */
export const takesAffiliateCodes = (coupon: Pick<StoredCoupon, 'allowAffiliateCodes' | 'couponCategory'>): boolean =>
  coupon.allowAffiliateCodes && !isForPayouts(coupon);

/** Whether its codes are rewards that affiliates spend. A sale with one credits nobody. docs/behavior.md#payouts-in-coupons */
export const isForPayouts = ({ couponCategory }: Pick<StoredCoupon, 'couponCategory'>): boolean =>
  couponCategory === 'PAYOUT';

export const isRedeemable = (coupon: StoredCoupon, now: Date): boolean =>
  coupon.enabled &&
  (coupon.redeemBy === null || coupon.redeemBy > now.toISOString()) &&
  (coupon.maxRedemptions === null || coupon.timesRedeemed < coupon.maxRedemptions);

export const bareCouponResponse = (coupon: StoredCoupon, programId: string, now: Date): z.input<typeof BareCoupon> => ({
  ...coupon,
  amountOff: coupon.amountOffMinor === null ? null : fromMinor(coupon.amountOffMinor, coupon.currency ?? 'USD'),
  valid: isRedeemable(coupon, now),
  affiliateProgramId: programId,
});
