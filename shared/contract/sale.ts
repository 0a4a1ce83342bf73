import * as z from 'zod';
import { CommissionRule } from './commission-rule.ts';
import { attribution, maxMinorUnits, recordFields, returnedInstant, returnedMetadata, text } from './fields.ts';
import { reviewReasons, reviewStatuses } from './review.ts';

export const saleStatuses = ['ACTIVE', 'REFUNDED', 'PARTIALLY_REFUNDED'] as const;

/** See docs/behavior.md#sale-ids */
export const saleId = z.int().min(0);
export const Product = z.strictObject({
  productId: text(255),
  name: text(255).nullish(),
  quantity: z.int().min(1).max(1_000_000).nullish(),
  price: z.number().min(0).max(maxMinorUnits).nullish(),
});

export const Sale = z
  .object({
    id: z.int(),
    createdAt: recordFields.createdAt,
    updatedAt: recordFields.updatedAt,
    affiliateId: z.uuid().nullable().describe('Null where nobody is credited.'),
    referralId: z.uuid().nullable(),
    affiliateProgramId: z.uuid(),
    affiliateLinkId: z.uuid().nullable(),
    promotionalCodeId: z.uuid().nullable(),
    externalId: z.string().nullable(),
    externalInvoiceId: z.string().nullable(),
    customerId: z.string().nullable(),
    name: z.string().nullable(),
    email: z.string().nullable(),
    totalEarned: z.number(),
    commissionRate: z.number(),
    commissionEarned: z.number(),
    commissionRule: CommissionRule.nullable(),
    refundedAmount: z.number(),
    productsBought: z.array(
      z.object({
        productId: z.string(),
        name: z.string().nullable(),
        quantity: z.int().nullable(),
        price: z.number().nullable(),
      }),
    ),
    status: z.enum(saleStatuses),
    reviewStatus: z.enum(reviewStatuses).nullable(),
    reviewReasons: z.array(z.enum(reviewReasons)),
    refundedAt: returnedInstant.nullable(),
    payableAt: returnedInstant,
    payoutBatchId: z.uuid().nullable(),
    paidAt: returnedInstant.nullable(),
    source: z.enum(['API', 'PORTAL', 'IMPORTED']),
    attribution,
    metadata: returnedMetadata,
  })
  .meta({ id: 'Sale' });
