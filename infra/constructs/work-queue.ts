import { Duration } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { WorkerQueue } from '../../shared/contract/worker.ts';
import type { Worker } from '../../shared/contract/workers.ts';
import { DeadLetterQueue } from './dead-letter-queue.ts';

/** The queue of one worker, with its dead letters and their alarm. */
export class WorkQueue extends Queue {
  readonly deadLetters: DeadLetterQueue;

  constructor(scope: Construct, id: string, worker: Worker, reads: WorkerQueue, alarmTopic: ITopic | undefined) {
    const deadLetters = new DeadLetterQueue(scope, `${id}DeadLetters`, worker, alarmTopic);
    super(scope, id, {
      // The most that SQS keeps: a worker that is stopped loses nothing before somebody has seen its alarm.
      retentionPeriod: Duration.days(14),
      visibilityTimeout: Duration.seconds(reads.visibilityTimeoutSeconds),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: reads.maximumReceives },
    });
    this.deadLetters = deadLetters;
  }
}
