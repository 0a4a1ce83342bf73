import * as z from 'zod';
import { text } from '../fields.ts';
import { webPage } from '../page.ts';
import { payoutBatchStatuses } from '../payout-batches.ts';
import { saleStatuses } from '../sales.ts';
import { cursor, filter, soughtEmail } from './list-query.ts';

const area = { function: 'web-records', auth: 'session', method: 'GET' } as const;
const program = '/programs/{programId}';

export const showSales = webPage({
  ...area,
  id: 'showSales',
  path: `${program}/sales`,
  query: z.object({
    reference: filter(text(255)),
    affiliateEmail: filter(soughtEmail),
    status: filter(z.enum(saleStatuses)),
    cursor,
  }),
  needs: ['SALE:read', 'SALE:list', 'SALE:list:GSI1', 'SALE:list:GSI5', 'AFFILIATE:read', 'TOMBSTONE:read'],
});

export const showPayoutBatches = webPage({
  ...area,
  id: 'showPayoutBatches',
  path: `${program}/payout-batches`,
  query: z.object({ status: filter(z.enum(payoutBatchStatuses)), cursor }),
  needs: ['PAYOUT_BATCH:read', 'PAYOUT_BATCH:list', 'PAYOUT_BATCH:list:GSI1'],
});

export const showPayoutBatch = webPage({
  ...area,
  id: 'showPayoutBatch',
  path: `${program}/payout-batches/{payoutBatchId}`,
  query: z.object({ cursor }),
  needs: ['PAYOUT_BATCH:read', 'PAYOUT:list', 'AFFILIATE:read', 'TOMBSTONE:read'],
});

export const recordPages = [showSales, showPayoutBatches, showPayoutBatch] as const;
