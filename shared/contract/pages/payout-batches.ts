import * as z from 'zod';
import { uuid } from '../fields.ts';
import { webPage } from '../page.ts';
import { createPayoutBatch, deletePayoutBatch, payoutBatchStatuses, updatePayoutBatch } from '../payout-batches.ts';
import { enteredDay, namedAffiliate } from './fields.ts';
import { cursor, filter, period, sortedBy, soughtEmail, totals } from './list-query.ts';
import { formWithout, noFields } from './operation-form.ts';

const area = { function: 'web-records', auth: 'session' } as const;
const path = '/programs/{programId}/payout-batches';
const pathOfOne = `${path}/{payoutBatchId}` as const;

const filters = { status: filter(z.enum(payoutBatchStatuses)), ...period, ...sortedBy() };
const needsOfList = ['PAYOUT_BATCH:read', 'PAYOUT_BATCH:list', 'PAYOUT_BATCH:list:GSI1'] as const;

export const showPayoutBatches = webPage({
  ...area,
  id: 'showPayoutBatches',
  method: 'GET',
  path,
  query: z.object({ ...filters, cursor, totals }),
  needs: needsOfList,
});

const downloadPayoutBatches = webPage({
  ...area,
  id: 'downloadPayoutBatches',
  method: 'GET',
  path: `${path}.csv`,
  query: z.object({ ...filters, cursor }),
  needs: needsOfList,
});

export const payoutForm = formWithout(createPayoutBatch.body, ['affiliateIds']).extend({
  ...namedAffiliate,
  periodStart: enteredDay,
  periodEnd: enteredDay,
});

const needsOfForm = ['COUPON:read', 'COUPON:list:GSI3'] as const;

const showNewPayoutBatch = webPage({
  ...area,
  id: 'showNewPayoutBatch',
  method: 'GET',
  path: `${path}/new`,
  query: z.object({ affiliateEmail: filter(soughtEmail), couponId: filter(uuid) }),
  needs: needsOfForm,
});

/** Shows who would get how much, and changes nothing. */
const previewPayoutBatch = webPage({
  ...area,
  id: 'previewPayoutBatch',
  method: 'POST',
  path: `${path}/preview`,
  form: payoutForm,
  needs: [
    'SALE:read',
    'SALE:list:GSI6',
    'ADJUSTMENT:read',
    'ADJUSTMENT:list:GSI6',
    'AFFILIATE:read',
    'AFFILIATE:list',
    'GROUP:list',
    ...needsOfForm,
  ],
});

const addPayoutBatch = webPage({
  ...area,
  id: 'addPayoutBatch',
  creates: true,
  method: 'POST',
  path: `${path}/new`,
  form: payoutForm,
  needs: ['PAYOUT_BATCH:create', 'AFFILIATE:read', 'AFFILIATE:list', ...needsOfForm],
});

export const showPayoutBatch = webPage({
  ...area,
  id: 'showPayoutBatch',
  method: 'GET',
  path: pathOfOne,
  query: z.object({ cursor }),
  needs: ['PAYOUT_BATCH:read', 'PAYOUT:list', 'AFFILIATE:read', 'COUPON:read', 'TOMBSTONE:read'],
});

export const payoutFileFormats = ['all', 'paypal', 'wise'] as const;

const downloadPayouts = webPage({
  ...area,
  id: 'downloadPayouts',
  method: 'GET',
  path: `${pathOfOne}/payouts.csv`,
  query: z.object({ format: z.enum(payoutFileFormats).default('all'), cursor }),
  needs: ['PAYOUT_BATCH:read', 'PAYOUT:list', 'AFFILIATE:read', 'TOMBSTONE:read'],
});

const confirmPayment = webPage({
  ...area,
  id: 'confirmPayment',
  method: 'GET',
  path: `${pathOfOne}/paid`,
  needs: ['PAYOUT_BATCH:read', 'PAYOUT:list', 'AFFILIATE:read', 'TOMBSTONE:read'],
});

const markAsPaid = webPage({
  ...area,
  id: 'markAsPaid',
  method: 'POST',
  path: `${pathOfOne}/paid`,
  /** The number of payouts in no payment file, as a tick that says that these were paid too. */
  form: z.strictObject({ leftOut: z.int().optional() }),
  needs: [...updatePayoutBatch.needs, 'PAYOUT:list', 'AFFILIATE:read', 'TOMBSTONE:read'],
});

const confirmPayoutBatchDeletion = webPage({
  ...area,
  id: 'confirmPayoutBatchDeletion',
  method: 'GET',
  path: `${pathOfOne}/delete`,
  needs: ['PAYOUT_BATCH:read'],
});

const removePayoutBatch = webPage({
  ...area,
  id: 'removePayoutBatch',
  method: 'POST',
  path: `${pathOfOne}/delete`,
  form: noFields,
  needs: deletePayoutBatch.needs,
});

export const payoutBatchPages = [
  showPayoutBatches,
  downloadPayoutBatches,
  showNewPayoutBatch,
  previewPayoutBatch,
  addPayoutBatch,
  showPayoutBatch,
  downloadPayouts,
  confirmPayment,
  markAsPaid,
  confirmPayoutBatchDeletion,
  removePayoutBatch,
] as const;
