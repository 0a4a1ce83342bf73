import { deliveryMetricNames } from './metrics.ts';
import { type Need, type QueueName, type RecordKind, recordKinds } from './needs.ts';

/**
 * One background worker. Like an operation it exists once: the queue with its dead letters, the Lambda
 * `functions/<id>.ts`, its permissions and its alarms follow from this value.
 */
export interface Worker {
  /** Named by what it does; also the name of its file in `functions/`. */
  readonly id: string;
  readonly trigger:
    | {
        readonly kind: 'stream';
        readonly batchSize: number;
        readonly maximumRetryAttempts: number;
        /** How many batches of a shard are handed over at the same time, changes of one item never. */
        readonly parallelizationFactor: number;
        /** The kinds of record whose changes it works on; without them, of all kinds. */
        readonly kinds?: readonly RecordKind[];
      }
    | {
        readonly kind: 'queue';
        readonly queue: QueueName;
        readonly batchSize: number;
        /** At least six times the function's timeout, as AWS advises. */
        readonly visibilityTimeoutSeconds: number;
        readonly maximumReceives: number;
        readonly maximumConcurrency?: number;
        /**
         * How many messages of a chain the worker may handle, where it sends messages that lead back to its own queue
         * (`loops.ts`). Far above what the work can legally take; what exceeds it is a dead letter at once.
         */
        readonly maximumHops?: number;
      };
  readonly timeoutSeconds: number;
  readonly needs: readonly Need[];
  /**
   * From how many seconds after a change on the worker is so late that users notice, and the metric in milliseconds that
   * tells: a stream's own, or one that the worker publishes. The age of a queue's oldest message is no measure where
   * messages wait on purpose.
   */
  readonly late?: {
    readonly afterSeconds: number;
    readonly measuredBy: 'IteratorAge' | typeof deliveryMetricNames.lag;
  };
  /** What users notice when this worker fails: the text of its alarms. Nobody adds a worker without saying it. */
  readonly errorImpact: string;
}

/** A deleted program takes all of its records with it. */
const purgeNeeds = recordKinds.flatMap((kind) => [`${kind}:list`, `${kind}:delete`] as const);

export const workers = [
  {
    id: 'fan-out-events',
    // The order of events is not promised.
    trigger: { kind: 'stream', batchSize: 100, maximumRetryAttempts: 20, parallelizationFactor: 4 },
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
      'EVENT:create',
      'DELIVERY:create',
      'deliveries:send',
      'code-connections:send',
      'deletions:send',
      'payout-batches:send',
      'automatic-codes:send',
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
      // Every crash of the worker counts for all that it holds: a delivery must outlive many of them, for hours.
      maximumReceives: 25,
      // More than twice what one endpoint may have under way (shared/webhooks/delivery/in-flight.ts).
      maximumConcurrency: 80,
      // Seven waits of at most 55 hours together are 221 hops of 15 minutes. A place at an endpoint that hangs is asked for
      // once a minute on average, for at most the 30 days that a delivery is kept: 43,200.
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
      // A page every two seconds: after the 30 days that events and deliveries are kept, nothing is left to send.
      maximumHops: 1_300_000,
    },
    timeoutSeconds: 60,
    needs: [
      'PROGRAM:read',
      'WEBHOOK:read',
      'EVENT:list',
      'DELIVERY:read',
      'DELIVERY:list:GSI4',
      'DELIVERY:create',
      'deliveries:send',
      'redeliveries:send',
    ],
    errorImpact: 'Webhooks that somebody asked to be sent again after an outage are not sent.',
  },
  {
    id: 'connect-promotional-code',
    trigger: {
      kind: 'queue',
      queue: 'code-connections',
      batchSize: 10,
      visibilityTimeoutSeconds: 180,
      maximumReceives: 5,
      // 50 codes a hop: five million codes of one affiliate.
      maximumHops: 100_000,
    },
    timeoutSeconds: 30,
    needs: [
      'LINK:read',
      'LINK:list:GSI1',
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
    // One after the other: all sales of an affiliate add to the same totals.
    trigger: {
      kind: 'stream',
      batchSize: 100,
      maximumRetryAttempts: 20,
      parallelizationFactor: 1,
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
      // 100 records or 200 items a hop: a program with 50 million sales, each of four items.
      maximumHops: 1_000_000,
    },
    timeoutSeconds: 60,
    needs: [
      ...purgeNeeds,
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
      'access:manage',
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
      // 25 coupons a hop: 25,000 coupons that make codes, a thousand times what a program should have.
      maximumHops: 1000,
    },
    timeoutSeconds: 30,
    needs: ['AFFILIATE:read', 'COUPON:read', 'COUPON:list:GSI4', 'PROMOTIONAL_CODE:create', 'automatic-codes:send'],
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
      // 500 sales a hop, gone through up to 30 times while an index is behind: 16 million sales.
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
] as const satisfies readonly Worker[];

export type QueueWorkerId = Extract<(typeof workers)[number], { trigger: { kind: 'queue' } }>['id'];
