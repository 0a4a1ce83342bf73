import * as z from 'zod';
import { type Referral, subscriptionStatuses } from '../../contract/referrals.ts';
import { MinorSum } from '../../platform/money/minor-sum.ts';
import { fromMinor } from '../../platform/money/money.ts';
import { storedFields } from '../../platform/table/keys.ts';
import { StoredAttribution } from '../attribution/attribution.ts';
import { StoredRedemption } from '../attribution/redemption.ts';
import { withCountedMark } from '../statistics/counted-mark.ts';

const ReferralItem = z.object({
  ...storedFields,
  affiliateId: z.string().nullable(),
  affiliateLinkId: z.string().nullable(),
  referringHost: z.string().nullable().default(null),
  promotionalCodeId: z.string().nullable(),
  redemption: StoredRedemption.nullable().default(null),
  name: z.string(),
  email: z.string(),
  referredUserExternalId: z.string().nullable(),
  plan: z.string().nullable(),
  subscriptionStatus: z.enum(subscriptionStatuses),
  referralMedium: z.enum(['LINK', 'COUPON']).nullable(),
  day: z.string().optional(),
  source: z.enum(['API', 'PORTAL', 'IMPORTED']),
  attribution: StoredAttribution.default(null),
  /** Whether the statistics have it. docs/behavior.md#statistics */
  inStatistics: z.boolean().default(false),
  totalRevenueMinor: MinorSum,
  totalCommissionMinor: MinorSum,
  notes: z.string().nullable(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

export const StoredReferral = z.preprocess(withCountedMark, ReferralItem);
export type StoredReferral = z.infer<typeof StoredReferral>;

export const dayOfReferral = ({ day, createdAt }: StoredReferral): string => day ?? createdAt.slice(0, 10);

export const referralResponse = (
  referral: StoredReferral,
  program: { id: string; currency: string },
): z.input<typeof Referral> => ({
  ...referral,
  affiliateProgramId: program.id,
  totalRevenue: fromMinor(referral.totalRevenueMinor, program.currency),
  totalCommission: fromMinor(referral.totalCommissionMinor, program.currency),
});
