import type { Worker } from './worker.ts';

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
