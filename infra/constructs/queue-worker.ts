import { Aws, Duration } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { deadLettersVariable, hopLimitOf } from '../../shared/contract/loops.ts';
import { queueUrlVariable } from '../../shared/contract/needs.ts';
import type { WorkerQueue } from '../../shared/contract/worker.ts';
import type { Worker } from '../../shared/contract/workers.ts';
import { concurrencyOfWorker } from '../concurrency.ts';
import { queueNamed, type Resources } from './resources.ts';
import { ServiceFunction } from './service-function.ts';
import type { WorkQueue } from './work-queues.ts';
import { addLateWorkerAlarm, addStoppedQueueAlarm } from './worker-alarms.ts';

/** Sends a message with the time to a worker's queue, whenever the expression says so. What cannot be sent is a dead letter. */
class WorkerSchedule extends Construct {
  constructor(scope: Construct, scheduleExpression: string, queue: WorkQueue) {
    super(scope, 'Schedule');
    const { deadLetters } = queue;
    const send = new PolicyStatement({
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn, deadLetters.queueArn],
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
      inlinePolicies: { send: new PolicyDocument({ statements: [send] }) },
    });
    new CfnSchedule(this, 'Resource', {
      scheduleExpression,
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: queue.queueArn,
        roleArn: role.roleArn,
        input: JSON.stringify({ time: '<aws.scheduler.scheduled-time>' }),
        deadLetterConfig: { arn: deadLetters.queueArn },
      },
    });
  }
}

/**
 * A Lambda that works off a queue. A message that fails comes back alone, without the rest of its batch. Where it is
 * scheduled, each time is a message, and it may leave work to another one.
 */
export class QueueWorker extends Construct {
  constructor(scope: Construct, id: string, worker: Worker, reads: WorkerQueue, resources: Resources) {
    super(scope, id);
    const queue = queueNamed(reads.name, resources);
    const { deadLetters } = queue;
    const { trigger } = worker;
    const isScheduled = trigger.kind === 'schedule';
    // In place of Lambda's limit of 16, the worker has one of its own and gives up messages that exceed it.
    const mayLoop = hopLimitOf(worker) !== undefined;
    const target = new ServiceFunction(this, 'Function', {
      name: worker.id,
      needs: worker.needs,
      timeoutSeconds: worker.timeoutSeconds,
      resources,
      reservedConcurrency: concurrencyOfWorker(worker, resources.settings),
      triggerPermissions: [
        new PolicyStatement({
          actions: ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
          resources: [queue.queueArn],
        }),
        ...(mayLoop ? [new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [deadLetters.queueArn] })] : []),
        ...(isScheduled ? [new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] })] : []),
      ],
      triggerEnvironment: {
        ...(mayLoop && { [deadLettersVariable]: deadLetters.queueUrl }),
        ...(isScheduled && { [queueUrlVariable(reads.name)]: queue.queueUrl }),
      },
      mayLoop,
    });
    new EventSourceMapping(this, 'Source', {
      target: target.live,
      eventSourceArn: queue.queueArn,
      batchSize: reads.batchSize,
      ...(reads.batchingWindowSeconds && { maxBatchingWindow: Duration.seconds(reads.batchingWindowSeconds) }),
      reportBatchItemFailures: true,
      maxConcurrency: reads.maximumConcurrency,
    });
    addLateWorkerAlarm(this, worker, target, resources);
    addStoppedQueueAlarm(this, worker, reads, queue, resources);
    if (isScheduled) new WorkerSchedule(this, trigger.expression, queue);
  }
}
