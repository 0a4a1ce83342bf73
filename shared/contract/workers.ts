import { deliveryMetricNames } from './metrics.ts';
import { type Need, type QueueName, type RecordKind, recordKinds, storesEvents } from './needs.ts';

/** Its queue, schedule, dead letters, Lambda `functions/<id>.ts`, permissions and alarms follow from it. */
export interface Worker {
  readonly id: string;
  readonly trigger:
    | {
        readonly kind: 'stream';
        readonly batchSize: number;
        readonly maximumRetryAttempts: number;
        /** Batches of one shard at a time; changes of one item stay in order. */
        readonly parallelizationFactor: number;
        /** Where a stage reserves executions for its workers: enough for ten shards. With more, batches wait and are retried. */
        readonly reservedConcurrency: number;
        /** The kinds of record whose changes it handles; all kinds if absent. */
        readonly kinds?: readonly RecordKind[];
      }
    | {
        readonly kind: 'queue';
        readonly queue: QueueName;
        readonly batchSize: number;
        /** At least six times the function's timeout, as AWS advises. */
        readonly visibilityTimeoutSeconds: number;
        readonly maximumReceives: number;
        /** How many batches run at once, and how many executions a stage reserves for them. */
        readonly maximumConcurrency: number;
        /** The hop limit of a chain that leads back to its own queue; a message beyond it is a dead letter at once. */
        readonly maximumHops?: number;
      }
    | {
        readonly kind: 'schedule';
        /** When it starts, in UTC: each time is a message of its own queue. It may come late, or twice. */
        readonly expression: `cron(${string})` | `rate(${string})`;
      };
  readonly timeoutSeconds: number;
  readonly needs: readonly Need[];
  /** When users notice the delay. Queue age is useless where messages wait on purpose. */
  readonly late?: {
    readonly afterSeconds: number;
    readonly measuredBy: 'IteratorAge' | typeof deliveryMetricNames.lag;
  };
  /** The impact of a failure, for the text of its alarms. */
  readonly errorImpact: string;
}

const purgeNeeds = recordKinds.flatMap((kind) => [`${kind}:list`, `${kind}:delete`] as const);

export const workers = [
  {
    id: 'fan-out-events',
    // The order of events is not promised.
    trigger: {
      kind: 'stream',
      batchSize: 100,
      maximumRetryAttempts: 20,
      parallelizationFactor: 4,
      reservedConcurrency: 40,
    },
    timeoutSeconds: 60,
    late: { afterSeconds: 60, measuredBy: 'IteratorAge' },
    needs: [
      'PROGRAM:read',
      'AFFILIATE:read',
      'COUPON:read',
      'PROMOTIONAL_CODE:read',
      'LINK_CODE:list',
      'TOMBSTONE:read',
      'WEBHOOK:list',
      ...storesEvents,
      'DELIVERY:create',
      'deliveries:send',
      'code-connections:send',
      'deletions:send',
      'payout-batches:send',
      'automatic-codes:send',
      'redeliveries:send',
    ],
    errorImpact: 'Changes are stored but their webhook events and background work are not started.',
  },
  {
    id: 'deliver-webhook',
    trigger: {
      kind: 'queue',
      queue: 'deliveries',
      batchSize: 10,
      visibilityTimeoutSeconds: 360,
      // A crash counts as a receive of every message in the batch, and a delivery must survive many crashes.
      maximumReceives: 25,
      // More than twice the slots of one endpoint (shared/webhooks/delivery/in-flight.ts).
      maximumConcurrency: 80,
      // 55 hours of waits are 221 hops of 15 minutes; an endpoint that hangs is tried once a minute for 30 days:
      // 43,200.
      maximumHops: 50_000,
    },
    timeoutSeconds: 60,
    late: { afterSeconds: 60, measuredBy: deliveryMetricNames.lag },
    needs: [
      'webhooks:address',
      'webhooks:deliver',
      'PROGRAM:read',
      'WEBHOOK:read',
      'WEBHOOK:change',
      'WEBHOOK:delete',
      'TOMBSTONE:create',
      'EVENT:read',
      'DELIVERY:read',
      'DELIVERY:change',
      'IN_FLIGHT:change',
      'webhook-secrets:use',
      'deliveries:send',
      'metrics:publish',
    ],
    errorImpact: 'Webhooks do not reach the receivers.',
  },
  {
    id: 'retry-deliveries',
    trigger: {
      kind: 'queue',
      queue: 'redeliveries',
      batchSize: 1,
      visibilityTimeoutSeconds: 360,
      maximumReceives: 5,
      maximumConcurrency: 5,
      // A page every two seconds; nothing is left to send after the 30 days of retention.
      maximumHops: 1_300_000,
    },
    timeoutSeconds: 60,
    needs: [
      'PROGRAM:read',
      'WEBHOOK:read',
      'EVENT:list',
      'DELIVERY:read',
      'DELIVERY:list:GSI3',
      'DELIVERY:list:GSI4',
      'DELIVERY:create',
      'DELIVERY:change',
      'deliveries:send',
      'redeliveries:send',
    ],
    errorImpact: 'Requested redeliveries are not sent, and what waits for a deleted endpoint is not cancelled.',
  },
  {
    id: 'connect-promotional-code',
    trigger: {
      kind: 'queue',
      queue: 'code-connections',
      // Each code may have 100 links to connect, and to disconnect again.
      batchSize: 5,
      visibilityTimeoutSeconds: 360,
      maximumReceives: 5,
      maximumConcurrency: 10,
      // 50 codes per hop: five million codes of one affiliate.
      maximumHops: 100_000,
    },
    timeoutSeconds: 60,
    needs: [
      'LINK:read',
      'LINK:list:GSI1',
      'LINK:check',
      'PROMOTIONAL_CODE:read',
      'PROMOTIONAL_CODE:list:GSI2',
      'LINK_CODE:create',
      'LINK_CODE:delete',
      'code-connections:send',
      'AFFILIATE:read',
      'AFFILIATE:change',
    ],
    errorImpact: "Promotional codes do not appear on their affiliate's links.",
  },
  {
    id: 'update-totals',
    // No parallel batches: all sales of an affiliate add to the same totals.
    trigger: {
      kind: 'stream',
      batchSize: 100,
      maximumRetryAttempts: 20,
      parallelizationFactor: 1,
      reservedConcurrency: 10,
      kinds: ['SALE', 'REFERRAL', 'ADJUSTMENT'],
    },
    timeoutSeconds: 60,
    late: { afterSeconds: 60, measuredBy: 'IteratorAge' },
    needs: [
      'AFFILIATE:change',
      'REFERRAL:change',
      'LINK:change',
      'PROMOTIONAL_CODE:change',
      'COUPON:change',
      'COUNTED:create',
      'UNCOUNTED:delete',
      'SALE:change',
    ],
    errorImpact:
      'Revenue, commission and counts on affiliates, referrals, links, codes and coupons fall behind the sales.',
  },
  {
    id: 'finish-deletion',
    trigger: {
      kind: 'queue',
      queue: 'deletions',
      batchSize: 1,
      visibilityTimeoutSeconds: 360,
      maximumReceives: 5,
      maximumConcurrency: 10,
      // 100 records or 200 items per hop: a program with 50 million sales of four items each.
      maximumHops: 1_000_000,
    },
    timeoutSeconds: 60,
    needs: [
      ...purgeNeeds,
      'PROGRAM:read',
      'PROMOTIONAL_CODE:read',
      'PROMOTIONAL_CODE:list:GSI1',
      'PROMOTIONAL_CODE:list:GSI2',
      'PROMOTIONAL_CODE:change',
      'TOMBSTONE:create',
      'LINK:read',
      'LINK:list:GSI1',
      'REFERRAL:read',
      'REFERRAL:list:GSI1',
      'REFERRAL:list:GSI3',
      'REFERRAL:change',
      'SALE:read',
      'SALE:list:GSI1',
      'SALE:list:GSI2',
      'SALE:list:GSI7',
      'SALE:change',
      'ADJUSTMENT:read',
      'ADJUSTMENT:list:GSI1',
      'ADJUSTMENT:create',
      'AFFILIATE:read',
      'access:change',
      'FEED:list',
      'FEED:change',
      'deletions:send',
    ],
    errorImpact: 'What belongs to a deleted program, coupon, affiliate, referral or link is still there.',
  },
  {
    id: 'create-automatic-codes',
    trigger: {
      kind: 'queue',
      queue: 'automatic-codes',
      batchSize: 10,
      visibilityTimeoutSeconds: 180,
      maximumReceives: 5,
      maximumConcurrency: 5,
      // 25 coupons per hop: 25,000 automatic coupons, a thousand times the bound.
      maximumHops: 1000,
    },
    timeoutSeconds: 30,
    needs: [
      'AFFILIATE:read',
      'COUPON:read',
      'COUPON:list:GSI4',
      'PROMOTIONAL_CODE:create',
      'PROGRAM:read',
      'records:count',
      'automatic-codes:send',
    ],
    errorImpact: 'New affiliates do not get the promotional codes that coupons make for them.',
  },
  {
    id: 'prepare-payout-batch',
    trigger: {
      kind: 'queue',
      queue: 'payout-batches',
      batchSize: 1,
      visibilityTimeoutSeconds: 720,
      maximumReceives: 5,
      maximumConcurrency: 5,
      // 500 sales per hop, repeated up to 30 times while an index lags: 16 million sales.
      maximumHops: 1_000_000,
    },
    timeoutSeconds: 120,
    needs: [
      'PAYOUT_BATCH:read',
      'PAYOUT_BATCH:change',
      'PAYOUT_BATCH:check',
      'PAYOUT:read',
      'PAYOUT:list',
      'PAYOUT:change',
      'PAYOUT:delete',
      'SALE:read',
      'SALE:list:GSI4',
      'SALE:list:GSI6',
      'SALE:change',
      'ADJUSTMENT:read',
      'ADJUSTMENT:list:GSI4',
      'ADJUSTMENT:list:GSI6',
      'ADJUSTMENT:change',
      'ADJUSTMENT:delete',
      'AFFILIATE:read',
      'AFFILIATE:check',
      'payout-batches:send',
    ],
    errorImpact: 'Payout batches stay in PREPARING, or their sales are not marked paid or freed.',
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

export type QueueWorkerId = Extract<(typeof workers)[number], { trigger: { kind: 'queue' } }>['id'];
export type ScheduledWorkerId = Extract<(typeof workers)[number], { trigger: { kind: 'schedule' } }>['id'];
