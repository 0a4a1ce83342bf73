import * as z from 'zod';
import { webPage } from '../page.ts';
import { payoutBatchStatuses } from '../payout-batches.ts';
import { cursor, filter } from './list-query.ts';

const area = { function: 'web-records', auth: 'session', method: 'GET' } as const;
const program = '/programs/{programId}';

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

export const recordPages = [showPayoutBatches, showPayoutBatch] as const;
