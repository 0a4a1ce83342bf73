import type { deliveryMetricNames } from './metrics.ts';
import type { Need, QueueName, RecordKind } from './needs.ts';

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
        /** How long it waits for a batch to fill. Lambda asks for one where a batch may hold more than ten messages. */
        readonly batchingWindowSeconds?: number;
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

export interface WorkerQueue {
  readonly name: string;
  readonly batchSize: number;
  readonly batchingWindowSeconds?: number;
  readonly visibilityTimeoutSeconds: number;
  readonly maximumReceives: number;
  readonly maximumConcurrency: number;
  readonly maximumHops?: number;
}

/** Two at once is Lambda's least. A hop is a page of 100 programs or more: ten million programs. */
const ofSchedule = { batchSize: 1, maximumReceives: 5, maximumConcurrency: 2, maximumHops: 100_000 } as const;

export const queueOf = ({ id, trigger, timeoutSeconds }: Worker): WorkerQueue | undefined => {
  if (trigger.kind === 'stream') return undefined;
  if (trigger.kind === 'schedule') return { name: id, visibilityTimeoutSeconds: 6 * timeoutSeconds, ...ofSchedule };
  const { kind: _, queue: name, ...figures } = trigger;
  return { name, ...figures };
};
