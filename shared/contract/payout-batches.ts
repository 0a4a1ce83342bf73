import * as z from 'zod';
import { AffiliateSummary } from './affiliates.ts';
import { amount, instant, pageLimit, paging, recordFields, returnedInstant, text, uuid } from './fields.ts';
import { operation } from './operation.ts';
import { paymentMethods } from './payment-methods.ts';
import { recordName } from './record-name.ts';

export const payoutBatchStatuses = ['PREPARING', 'READY', 'NO_TRANSACTIONS', 'PAID'] as const;
export type PayoutBatchStatus = (typeof payoutBatchStatuses)[number];

export const payoutBatchSources = ['API', 'IMPORTED'] as const;

export const Payout = z
  .object({
    id: z.string(),
    affiliateId: z.uuid(),
    affiliate: AffiliateSummary.nullable(),
    amount: z.number(),
    saleCount: z.int(),
    status: z.enum(['UNPAID', 'PAID']),
    paidAt: returnedInstant.nullable(),
    promotionalCode: z
      .object({
        id: z.uuid().describe('The id of that code.'),
        code: z.string().describe('The code itself, as it is redeemed.'),
      })
      .nullable()
      .describe('The code that paid it, where the batch names a coupon: seconds after the batch is PAID.'),
  })
  .meta({ id: 'Payout' });

export const PayoutBatch = z
  .object({
    ...recordFields,
    name: z.string().nullable(),
    status: z.enum(payoutBatchStatuses),
    periodStart: returnedInstant.nullable(),
    periodEnd: returnedInstant,
    paymentMethod: z.enum(paymentMethods).nullable(),
    couponId: z.uuid().nullable().describe('The coupon whose codes pay the affiliates, with paymentMethod COUPON.'),
    currency: z.string(),
    payoutCount: z.int(),
    saleCount: z.int(),
    totalAmount: z.number(),
    paidAt: returnedInstant.nullable(),
    source: z.enum(payoutBatchSources).describe('IMPORTED: what was paid elsewhere on one day, and imported.'),
    payouts: z.array(Payout).optional().describe('Only when one batch is read: a page of its payouts, by affiliate.'),
  })
  .meta({ id: 'PayoutBatch' });

const listPayoutBatches = operation({
  id: 'listPayoutBatches',
  method: 'GET',
  path: '/payout-batches',
  auth: 'key',
  tag: 'Payout batches',
  summary: 'List payout batches',
  description:
    'With `id`: that one batch with its payouts, 100 a page (`cursor` from the Link header goes on), or 404. It has none ' +
    'while it is PREPARING. With `id` and `Accept: text/csv` all its payouts as CSV, with a Link to the rest where they ' +
    'are many thousands; cells that a spreadsheet would take for a formula begin with an apostrophe. Otherwise an ' +
    'array, newest first.',
  query: z.strictObject({
    id: uuid.optional(),
    status: z.enum(payoutBatchStatuses).optional(),
    ...paging,
    limit: pageLimit.optional().describe('50 when absent; 100 for the payouts of a batch.'),
  }),
  response: PayoutBatch,
  lists: true,
  connector: true,
  selectors: ['id'],
  csv: true,
  errors: ['not_found'],
  needs: [
    'PAYOUT_BATCH:read',
    'PAYOUT_BATCH:list',
    'PAYOUT_BATCH:list:GSI1',
    'PAYOUT:list',
    'AFFILIATE:read',
    'TOMBSTONE:read',
  ],
  example: { query: { status: 'READY' } },
});

const readPayoutBatch = operation({
  id: 'readPayoutBatch',
  method: 'GET',
  path: '/payout-batches/{id}',
  auth: 'key',
  tag: 'Payout batches',
  summary: 'Read a payout batch with its payouts',
  parameters: z.strictObject({ id: recordName('Payout batch', uuid) }),
  query: z.strictObject({ limit: paging.limit.default(100), cursor: paging.cursor }),
  response: PayoutBatch,
  csv: true,
  errors: ['not_found'],
  needs: ['PAYOUT_BATCH:read', 'PAYOUT:list', 'AFFILIATE:read', 'TOMBSTONE:read'],
  example: { parameters: { id: '019a0000-0000-7000-8000-0000000000f1' } },
});

/** What is wrong with naming a coupon, or none, for this payment method; forms refuse the same. */
export const couponContradiction = (body: {
  paymentMethod?: (typeof paymentMethods)[number] | null | undefined;
  couponId?: string | null | undefined;
}): string | undefined => {
  if (body.paymentMethod === 'COUPON')
    return body.couponId == null ? 'is required with paymentMethod COUPON' : undefined;
  return body.couponId == null ? undefined : 'is allowed only with paymentMethod COUPON';
};

export const createPayoutBatch = operation({
  id: 'createPayoutBatch',
  method: 'POST',
  path: '/payout-batches',
  auth: 'key',
  tag: 'Payout batches',
  summary: 'Prepare a payout batch',
  description:
    'Returns at once with status PREPARING. In the background every unpaid, not fully refunded sale whose ' +
    '`payableAt` is in the period, and every open adjustment, becomes part of one payout per affiliate; then READY, or ' +
    'NO_TRANSACTIONS. A payout below `minimumAmount`, or below `minimumPayout` of the affiliate’s group, or of 0 or ' +
    'less, is left for a later batch whose period includes its sales. No sale is ever in two batches. With paymentMethod `COUPON` affiliates are paid by ' +
    'codes: `couponId` names a valid coupon of category PAYOUT, and marking the batch PAID creates one code for each payout. ' +
    '404 when there is no such coupon, 400 when it cannot pay the batch.',
  query: z.strictObject({}),
  body: z
    .strictObject({
      periodEnd: instant
        .nullish()
        .describe('Exclusive. Defaults to now, and cannot be later. Leaves out what is on hold at that time.'),
      periodStart: instant
        .nullish()
        .describe(
          'Inclusive, compared with `payableAt` of the sales. Leave it out unless you mean only that period: what an ' +
            'earlier batch left out, and what was approved later, keeps its own `payableAt`.',
        ),
      affiliateIds: z.array(uuid).min(1).max(1000).nullish(),
      paymentMethod: z.enum(paymentMethods).nullish().describe('Only affiliates that are paid this way.'),
      couponId: uuid.nullish().describe('Required with paymentMethod COUPON, refused with any other.'),
      minimumAmount: amount.nullish(),
      name: text(200).nullish(),
    })
    .superRefine((body, context) => {
      if (body.periodStart && body.periodEnd && body.periodStart >= body.periodEnd)
        context.addIssue({ code: 'custom', path: ['periodStart'], message: 'must be before periodEnd' });
      const message = couponContradiction(body);
      if (message) context.addIssue({ code: 'custom', path: ['couponId'], message });
    }),
  ids: ['couponId'],
  response: PayoutBatch,
  errors: ['not_found'],
  needs: [
    'PAYOUT_BATCH:create',
    'COUPON:read',
    'IDEMPOTENCY:create',
    'IDEMPOTENCY:read',
    'PAYOUT_BATCH:read',
    'PAYOUT:list',
    'AFFILIATE:read',
    'TOMBSTONE:read',
  ],
  example: { body: { name: 'January', minimumAmount: 1 } },
});

export const updatePayoutBatch = operation({
  id: 'updatePayoutBatch',
  method: 'PUT',
  path: '/payout-batches',
  auth: 'key',
  tag: 'Payout batches',
  summary: 'Rename a payout batch, or mark it paid',
  description:
    'The only change of status is from READY to PAID, which pays its payouts and sales; any other is a 409. ' +
    'A batch that names a coupon creates a code for each payout then; 409 when that coupon cannot pay it any more.',
  query: z.strictObject({}),
  body: z.strictObject({
    payoutBatchId: uuid,
    name: text(200).nullish(),
    status: z.enum(payoutBatchStatuses).optional(),
  }),
  ids: ['payoutBatchId'],
  response: PayoutBatch,
  errors: ['not_found', 'conflict', 'precondition_failed'],
  needs: ['PAYOUT_BATCH:read', 'PAYOUT_BATCH:change', 'COUPON:read', 'COUPON:check'],
  example: { body: { payoutBatchId: '019a0000-0000-7000-8000-0000000000f1', status: 'PAID' } },
});

export const deletePayoutBatch = operation({
  id: 'deletePayoutBatch',
  method: 'DELETE',
  path: '/payout-batches',
  auth: 'key',
  tag: 'Payout batches',
  summary: 'Delete a payout batch that is not paid',
  description: 'Its sales and adjustments become unpaid again, in the background. 409 when it is PAID.',
  query: z.strictObject({}),
  body: z.strictObject({ payoutBatchId: uuid }),
  ids: ['payoutBatchId'],
  response: z.object({
    message: z.string(),
    deletedPayoutBatch: z.object({ id: z.uuid(), name: z.string().nullable() }),
  }),
  errors: ['not_found', 'conflict', 'precondition_failed'],
  needs: ['PAYOUT_BATCH:read', 'PAYOUT_BATCH:delete', 'TOMBSTONE:create'],
  example: { body: { payoutBatchId: '019a0000-0000-7000-8000-0000000000f1' } },
});

export const payoutBatchOperations = [
  listPayoutBatches,
  readPayoutBatch,
  createPayoutBatch,
  updatePayoutBatch,
  deletePayoutBatch,
] as const;
