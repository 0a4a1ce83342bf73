import * as z from 'zod';

/** See docs/behavior.md#review-of-sales */

export const reviewModes = ['OFF', 'HOLD', 'BLOCK'] as const;
export type ReviewMode = (typeof reviewModes)[number];

export const reviewReasons = ['SELF_REFERRAL', 'SAME_DOMAIN', 'BURST', 'REFUND_RATE'] as const;
export type ReviewReason = (typeof reviewReasons)[number];

export const reviewStatuses = ['HELD', 'APPROVED', 'REJECTED'] as const;

export const burstSales = z.int().min(2).max(100);
export const refundPercent = z.int().min(1).max(100);

const mode = z.enum(reviewModes);

export const ReviewRules = z.object({
  selfReferral: mode.describe('For a customer with the affiliate’s own email.'),
  sameDomain: mode.describe('For a customer whose email is of the affiliate’s company.'),
  burst: z
    .object({
      mode: mode.describe('What happens to the sale that makes it a burst.'),
      sales: burstSales.describe('How many sales of one affiliate within an hour are a burst.'),
    })
    .describe('For many sales of one affiliate at once.'),
  refundRate: z
    .object({
      mode: mode.describe('What happens to a sale of such an affiliate.'),
      percent: refundPercent.describe(
        'The percentage of what the affiliate sold in 30 days from which on refunds break the rule.',
      ),
    })
    .describe('For affiliates much of whose sales is refunded.'),
});
export type ReviewRules = z.infer<typeof ReviewRules>;
