import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { queueOf, type WorkerQueue } from '../../shared/contract/worker.ts';
import { type Worker, workers } from '../../shared/contract/workers.ts';
import { pascalCase } from './pascal-case.ts';
import { RunbookAlarm } from './runbook-alarm.ts';
import { workerOutputs } from './worker-outputs.ts';

/** Keeps what a worker gave up on for 14 days, and raises an alarm, which says what users notice, from the first. */
export class DeadLetterQueue extends Queue {
  constructor(scope: Construct, id: string, worker: Worker, alarmTopic: ITopic | undefined) {
    super(scope, id, { retentionPeriod: Duration.days(14) });
    new RunbookAlarm(this, 'Alarm', {
      impact: worker.errorImpact,
      section: `Dead letters of ${worker.id}`,
      metric: this.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1), statistic: Stats.MAXIMUM }),
      threshold: 0,
      periods: 1,
      topic: alarmTopic,
    });
  }
}

/** The queue of one worker. */
export class WorkQueue extends Queue {
  readonly deadLetters: DeadLetterQueue;

  constructor(scope: Construct, id: string, reads: WorkerQueue, deadLetters: DeadLetterQueue) {
    super(scope, id, {
      // The most that SQS keeps: a worker that is stopped loses nothing before somebody has seen its alarm.
      retentionPeriod: Duration.days(14),
      visibilityTimeout: Duration.seconds(reads.visibilityTimeoutSeconds),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: reads.maximumReceives },
    });
    this.deadLetters = deadLetters;
  }
}

interface Queues {
  /** By the name of the queue. */
  readonly queues: Map<string, WorkQueue>;
  /** By the id of the worker. */
  readonly deadLetters: Map<string, DeadLetterQueue>;
  /** Their URLs by output name, such as `DeliverWebhookQueueUrl` and `DeliverWebhookDeadLettersUrl`. */
  readonly outputs: Record<string, string>;
}

const everyWorker: readonly Worker[] = workers;

/** The queue of every worker that has one, and its dead letters. Before the workers, because they send to each other. */
export const addQueues = (scope: Construct, alarmTopic: ITopic | undefined): Queues => {
  const made: Queues = { queues: new Map(), deadLetters: new Map(), outputs: {} };
  for (const worker of everyWorker) {
    const { queueUrl, deadLettersUrl } = workerOutputs(worker);
    const reads = queueOf(worker);
    const id = pascalCase(reads ? `${reads.name}-queue` : worker.id);
    const deadLetters = new DeadLetterQueue(scope, `${id}DeadLetters`, worker, alarmTopic);
    made.deadLetters.set(worker.id, deadLetters);
    if (reads) {
      const queue = new WorkQueue(scope, id, reads, deadLetters);
      made.queues.set(reads.name, queue);
      made.outputs[queueUrl] = queue.queueUrl;
    }
    made.outputs[deadLettersUrl] = deadLetters.queueUrl;
  }
  return made;
};
