import type { WebPage } from '../page.ts';
import { affiliatePages } from './affiliates.ts';
import { connectPages } from './connect.ts';
import { couponPages } from './coupons.ts';
import { deliveryPages } from './deliveries.ts';
import { linkPages } from './links.ts';
import { payoutBatchPages } from './payout-batches.ts';
import { programPages } from './programs.ts';
import { promotionalCodePages } from './promotional-codes.ts';
import { referralPages } from './referrals.ts';
import { salePages } from './sales.ts';
import { settingsPages } from './settings.ts';
import { signInPages } from './sign-in.ts';
import { webhookPages } from './webhooks.ts';

// One list per Lambda: its handlers are checked against the list at compile time.
const declaredPages = [
  ...signInPages,
  ...programPages,
  ...affiliatePages,
  ...linkPages,
  ...couponPages,
  ...promotionalCodePages,
  ...salePages,
  ...referralPages,
  ...payoutBatchPages,
  ...webhookPages,
  ...deliveryPages,
  ...settingsPages,
  ...connectPages,
] as const;

export type DeclaredPage = (typeof declaredPages)[number];

/** Routes, Lambdas, permissions and security tests are derived from it. */
export const pages: readonly WebPage[] = declaredPages;
