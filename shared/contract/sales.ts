import * as z from 'zod';
import {
  amount,
  clearable,
  clickId,
  codeReference,
  commissionRate,
  email,
  externalId,
  linkSlug,
  metadata,
  paging,
  text,
  uuid,
} from './fields.ts';
import { operation } from './operation.ts';
import { recordName } from './record-name.ts';
import { reviewStatuses } from './review.ts';
import { Product, Sale, saleId, saleStatuses } from './sale.ts';

const querySaleId = z
  .string()
  .regex(/^\d{1,16}$/, 'must be a whole number')
  .transform(Number);

export const listSales = operation({
  id: 'listSales',
  method: 'GET',
  path: '/sales',
  auth: 'key',
  tag: 'Sales',
  summary: 'List sales',
  description:
    'With `id`, `externalId` or `externalInvoiceId`: that one sale, or 404. Otherwise an array, newest first; ' +
    'with `search` in the order of the matched word.',
  query: z.strictObject({
    id: querySaleId.optional(),
    externalId: externalId.optional(),
    externalInvoiceId: externalId.optional(),
    affiliateId: uuid.optional(),
    affiliateEmail: email.optional(),
    referralId: uuid.optional(),
    promotionalCodeId: uuid.optional(),
    payoutBatchId: uuid.optional(),
    status: z.enum(saleStatuses).optional(),
    reviewStatus: z.enum(reviewStatuses).optional(),
    search: text(100)
      .optional()
      .describe(
        'Beginnings of words of the customer’s name or email, all of which must match. Letter case and accents do not count.',
      ),
    ...paging,
  }),
  response: Sale,
  lists: true,
  selectors: ['id', 'externalId', 'externalInvoiceId'],
  connector: true,
  errors: ['not_found'],
  needs: [
    'SALE:read',
    'SALE:list',
    'SALE:list:GSI1',
    'SALE:list:GSI2',
    'SALE:list:GSI3',
    'SALE:list:GSI4',
    'SALE:list:GSI5',
    'AFFILIATE:read',
  ],
  example: { query: { status: 'ACTIVE' } },
});

const readSale = operation({
  id: 'readSale',
  method: 'GET',
  path: '/sales/{id}',
  auth: 'key',
  tag: 'Sales',
  summary: 'Read a sale',
  parameters: z.strictObject({
    id: recordName('Sale', querySaleId, {
      external: ['externalId', externalId],
      invoice: ['externalInvoiceId', externalId],
    }),
  }),
  query: z.strictObject({}),
  response: Sale,
  errors: ['not_found'],
  needs: ['SALE:read'],
  example: { parameters: { id: 'external:order-1042' } },
});

export const createSale = operation({
  id: 'createSale',
  method: 'POST',
  path: '/sales',
  auth: 'key',
  tag: 'Sales',
  summary: 'Record a sale, and redeem a code',
  description:
    'Credited by the first that is there of `promoCode`, `referralId` (a referral, an affiliate or the slug of a link), ' +
    'the referral of the customer (by `email`, else by `customerId`) and `clickId`. A code without an affiliate is redeemed, and the next of these ' +
    'that is there decides. Redeeming a code is atomic: of any number of buyers racing for its last use exactly one ' +
    'wins. A code that cannot be redeemed is a 400 with the reason in `details[0].code`. With `promoCode` the sale keeps ' +
    'the referral too if both belong to the same affiliate. A code for first orders needs `email` or `customerId`. An ' +
    'affiliate cannot be the customer unless the program allows it or the code is limited to that affiliate ' +
    '(`self_referral`). The program’s `reviewRules` may hold the sale for review, or refuse it (`same_domain`, `burst`, `refund_rate`). What it earns is decided by the first that there is of the sale’s `commissionRate`, the affiliate’s, the rule of the product, a tier and the base of the group, and `commissionRule` says which. `externalId` and `externalInvoiceId` are unique: the same sale sent again ' +
    'comes back, another one with the same id is a 409.',
  query: z.strictObject({}),
  body: z
    .strictObject({
      totalEarned: amount,
      referralId: z
        .union([uuid, linkSlug], 'must be a UUID or the slug of a link')
        .nullish()
        .describe('The id of a referral or of an affiliate, or the slug of a link.'),
      email: email.nullish(),
      promoCode: codeReference.nullish(),
      clickId: clickId.nullish(),
      name: text(200).nullish(),
      commissionRate: commissionRate.nullish(),
      externalId: externalId.nullish(),
      externalInvoiceId: externalId.nullish(),
      customerId: text(255).nullish(),
      firstOrder: z.boolean().nullish(),
      product: Product.nullish(),
      metadata: metadata.nullish(),
    })
    .superRefine((body, context) => {
      if ([body.referralId, body.email, body.promoCode, body.clickId].every((named) => named == null))
        context.addIssue({
          code: 'custom',
          path: ['referralId'],
          message: ', email, promoCode or clickId is required',
        });
    }),
  ids: ['referralId'],
  response: Sale,
  connector: true,
  errors: ['not_found', 'conflict'],
  needs: [
    'SALE:read',
    'SALE:create',
    'SALE:change',
    'REFERRAL:read',
    'AFFILIATE:read',
    'LINK:read',
    'PROMOTIONAL_CODE:read',
    'UNCOUNTED:create',
    'UNCOUNTED:list',
    'PROMOTIONAL_CODE:change',
    'COUPON:read',
    'COUPON:change',
    'IDEMPOTENCY:create',
    'IDEMPOTENCY:read',
    'PROMOTIONAL_CODE:list',
    'COUPON:list',
    'PROGRAM:read',
    'GROUP:list',
    'SALE:list:GSI1',
    'STATISTIC:list',
    'click-ids:use',
  ],
  example: {
    body: { totalEarned: 49.9, promoCode: 'AMARA20', email: 'customer@example.com', externalId: 'order-1042' },
  },
});

export const updateSale = operation({
  id: 'updateSale',
  method: 'PUT',
  path: '/sales',
  auth: 'key',
  tag: 'Sales',
  summary: 'Change a sale',
  description:
    'Returns the sale with its recomputed commission. 409 for amounts of a sale in a payout batch. The email must not be ' +
    'that of the affiliate (`self_referral`), unless the program or the code allows it; it may hold the sale for review, or be ' +
    'refused (`same_domain`).',
  query: z.strictObject({}),
  body: z.strictObject({
    saleId,
    name: text(200).nullish(),
    email: email.nullish(),
    totalEarned: amount.optional(),
    commissionRate: commissionRate.nullish().describe('Becomes the sale’s own. null: what applies now without one.'),
    externalId: externalId.nullish(),
    externalInvoiceId: externalId.nullish(),
    metadata: clearable(metadata, {}),
  }),
  ids: ['saleId'],
  response: Sale,
  connector: true,
  errors: ['not_found', 'conflict', 'precondition_failed'],
  needs: [
    'SALE:read',
    'SALE:change',
    'SALE:create',
    'SALE:delete',
    'AFFILIATE:read',
    'PROMOTIONAL_CODE:read',
    'PROGRAM:read',
    'GROUP:list',
    'STATISTIC:list',
  ],
  example: { body: { saleId: 371820736512, totalEarned: 39.9 } },
});

export const refundSale = operation({
  id: 'refundSale',
  method: 'PATCH',
  path: '/sales',
  auth: 'key',
  tag: 'Sales',
  summary: 'Refund a sale',
  description:
    '`amount` is what is given back now; all that is left when absent. The commission falls with it. A sale that is in ' +
    'a payout batch keeps its amounts: the difference is a negative adjustment in the next batch. Refunding what is ' +
    'refunded in full changes nothing, and `message` says so.',
  query: z.strictObject({}),
  body: z.strictObject({ saleId, amount: amount.optional() }),
  ids: ['saleId'],
  response: Sale.extend({ message: z.string().optional() }),
  errors: ['not_found', 'precondition_failed'],
  needs: ['SALE:read', 'SALE:change', 'ADJUSTMENT:create', 'AFFILIATE:read', 'IDEMPOTENCY:create', 'IDEMPOTENCY:read'],
  example: { body: { saleId: 371820736512, amount: 24.95 } },
});

export const deleteSale = operation({
  id: 'deleteSale',
  method: 'DELETE',
  path: '/sales',
  auth: 'key',
  tag: 'Sales',
  summary: 'Delete a sale',
  description: '409 for a sale in a payout batch. A redemption that came with it stays counted.',
  query: z.strictObject({}),
  body: z.strictObject({ saleId }),
  ids: ['saleId'],
  response: z.object({ message: z.string(), deletedSale: z.object({ id: z.int() }) }),
  connector: true,
  errors: ['not_found', 'conflict', 'precondition_failed'],
  needs: ['SALE:read', 'SALE:delete', 'TOMBSTONE:create', 'ADJUSTMENT:create', 'AFFILIATE:read'],
  example: { body: { saleId: 371820736512 } },
});

export const saleOperations = [listSales, readSale, createSale, updateSale, refundSale, deleteSale] as const;
