import { affiliatePages } from './affiliates.ts';
import { couponPages } from './coupons.ts';
import { groupPages } from './groups.ts';
import { linkPages } from './links.ts';
import { payoutBatchPages } from './payout-batches.ts';
import { promotionalCodePages } from './promotional-codes.ts';
import { referralPages } from './referrals.ts';
import { salePages } from './sales.ts';

/** One Lambda for all: each takes eight of the 500 resources of a stack. */
export const recordPages = [
  ...affiliatePages,
  ...linkPages,
  ...groupPages,
  ...couponPages,
  ...promotionalCodePages,
  ...salePages,
  ...referralPages,
  ...payoutBatchPages,
] as const;
