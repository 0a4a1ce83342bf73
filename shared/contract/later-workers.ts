import type { Worker } from './worker.ts';

/** Their texts, and the unique values and search words made from them. */
const erasedRecordNeeds = (['AFFILIATE', 'LINK', 'PROMOTIONAL_CODE', 'REFERRAL', 'SALE'] as const).flatMap(
  (kind) => [`${kind}:read`, `${kind}:list`, `${kind}:create`, `${kind}:change`, `${kind}:delete`] as const,
);

export const laterWorkers = [
  {
    id: 'count-clicks',
    trigger: {
      kind: 'queue',
      queue: 'clicks',
      batchSize: 1000,
      batchingWindowSeconds: 2,
      visibilityTimeoutSeconds: 360,
      maximumReceives: 5,
      // Batches of one link add to the same counters: more at once would only conflict. Lambda allows no fewer.
      maximumConcurrency: 2,
    },
    timeoutSeconds: 60,
    needs: [
      'PROGRAM:read',
      'VISIT:read',
      'VISIT:change',
      'LINK:change',
      'AFFILIATE:change',
      'SALE:change',
      'STATISTIC:read',
      'STATISTIC:change',
    ],
    errorImpact: 'Clicks of links are not counted.',
  },
  {
    id: 'erase-person',
    trigger: {
      kind: 'queue',
      queue: 'erasures',
      batchSize: 1,
      visibilityTimeoutSeconds: 360,
      maximumReceives: 5,
      maximumConcurrency: 5,
      // 15 seconds a hop, and more than 1,000 items in each: a program with hundreds of millions of items.
      maximumHops: 500_000,
    },
    timeoutSeconds: 60,
    needs: [
      'ERASURE:read',
      'ERASURE:list',
      'ERASURE:create',
      'ERASURE:change',
      'ERASURE:delete',
      ...erasedRecordNeeds,
      'TOMBSTONE:list',
      'TOMBSTONE:change',
      'EVENT:read',
      'EVENT:list',
      'EVENT:change',
      'DELIVERY:read',
      'DELIVERY:list',
      'DELIVERY:list:GSI2',
      'DELIVERY:change',
      'click-ids:use',
      'erasures:send',
    ],
    errorImpact: 'People whose erasure was asked for are still in records, events or deliveries.',
  },
  {
    id: 'repair-tokens',
    trigger: { kind: 'schedule', expression: 'cron(20 3 * * ? *)' },
    timeoutSeconds: 60,
    needs: [
      'programs:list',
      'PROGRAM:read',
      'PROGRAM:change',
      'accounts:read',
      'API_KEY:list',
      'access:change',
      'records:recount',
    ],
    errorImpact: 'API keys keep an old plan, currency or commission rate if a change of settings was interrupted.',
  },
] as const satisfies readonly Worker[];
