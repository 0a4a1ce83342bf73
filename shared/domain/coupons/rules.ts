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

export const StoredCoupon = z.object({
  id: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  version: z.number(),
  name: z.string(),
  externalId: z.string().nullable(),
  couponType: z.enum(couponTypes),
  percentOff: z.number().nullable(),
  amountOffMinor: z.number().nullable(),
  currency: z.string().nullable(),
  duration: z.enum(couponDurations),
  durationInMonths: z.number().nullable(),
  maxRedemptions: z.number().nullable(),
  /** Kept by the totals worker. Where there is a cap, its shards know at once. */
  timesRedeemed: z.number(),
  /** Those of the redemptions that took no use from the shards of a cap. */
  uncappedUses: z.number().default(0),
  /** When it last got a cap; null where it never had one, and so has no shards. */
  cappedSince: z.string().nullable().default(null),
  /** Whether `maxRedemptions` was ever edited: the shards may then have more or less than it allows. */
  isCapEdited: z.boolean().default(false),
  couponCategory: z.enum(couponCategories),
  limitToProducts: z.boolean(),
  productIds: z.array(z.string()),
  collectionIds: z.array(z.string()),
  /** Whether it is switched on; `valid` of the answer also knows time and redemptions. */
  enabled: z.boolean(),
  redeemBy: z.string().nullable(),
  integrationType: z.enum(integrationTypes).nullable(),
  autoCouponRule: AutoCouponRule.nullable(),
  /** When its rule was enabled: affiliates created since then get a code. Null while it is not. */
  automaticSince: z.string().nullable().default(null),
  /** While its rule is enabled: one of the program's slots for such coupons. */
  automaticSlot: z.number().nullable().default(null),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});
export type StoredCoupon = z.infer<typeof StoredCoupon>;

/** Since when a coupon makes codes for new affiliates, after a change of its rule; null where it makes none. */
export const automaticSince = (
  rule: { enabled: boolean } | null | undefined,
  before: string | null,
  now: Date,
): string | null => (rule?.enabled ? (before ?? now.toISOString()) : null);

/** The slots for coupons whose rule is enabled, and what to say when all of them are taken. */
export const automaticSlots = {
  count: bounds.automaticCouponsOfProgram,
  whenFull: () =>
    fieldError(
      'autoCouponRule',
      `A program has at most ${bounds.automaticCouponsOfProgram} coupons with an enabled autoCouponRule. Disable one first.`,
    ),
};

/** Whether the coupon can be redeemed now: switched on, not past its date, and redemptions left. */
export const isRedeemable = (coupon: StoredCoupon, now: Date): boolean =>
  coupon.enabled &&
  (coupon.redeemBy === null || coupon.redeemBy > now.toISOString()) &&
  (coupon.maxRedemptions === null || coupon.timesRedeemed < coupon.maxRedemptions);

/** The REST record of a coupon without its codes. */
export const bareCouponAnswer = (coupon: StoredCoupon, programId: string, now: Date): z.input<typeof BareCoupon> => ({
  ...coupon,
  amountOff: coupon.amountOffMinor === null ? null : fromMinor(coupon.amountOffMinor, coupon.currency ?? 'USD'),
  valid: isRedeemable(coupon, now),
  affiliateProgramId: programId,
});
