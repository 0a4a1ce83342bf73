import { affiliatePages } from './affiliates.ts';
import { couponPages } from './coupons.ts';
import { linkPages } from './links.ts';
import { payoutBatchPages } from './payout-batches.ts';
import { promotionalCodePages } from './promotional-codes.ts';
import { referralPages } from './referrals.ts';
import { salePages } from './sales.ts';

/** One Lambda for all: each would take eight of the 500 resources that a stack may have. */
export const recordPages = [
  ...affiliatePages,
  ...linkPages,
  ...couponPages,
  ...promotionalCodePages,
  ...salePages,
  ...referralPages,
  ...payoutBatchPages,
] as const;
