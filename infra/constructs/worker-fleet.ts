import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { QueueName } from '../../shared/contract/needs.ts';
import { type Worker, workers } from '../../shared/contract/workers.ts';
import { pascalCase } from './pascal-case.ts';
import { QueueWorker } from './queue-worker.ts';
import { queueNamed, type Resources } from './resources.ts';
import { StreamWorker } from './stream-worker.ts';
import { WorkQueue } from './work-queue.ts';
import { workerOutputs } from './worker-outputs.ts';

const everyWorker: readonly Worker[] = workers;

/** The queue of every worker that has one. Before the workers, because they send to each other. */
export const addWorkQueues = (scope: Construct, alarmTopic: ITopic | undefined): Map<QueueName, WorkQueue> => {
  const queues = new Map<QueueName, WorkQueue>();
  for (const worker of everyWorker) {
    if (worker.trigger.kind !== 'queue') continue;
    const { queue } = worker.trigger;
    queues.set(queue, new WorkQueue(scope, `${pascalCase(queue)}Queue`, worker, worker.trigger, alarmTopic));
  }
  return queues;
};

/**
 * Every worker. Returns the URL of its queue, where it has one, and of its dead-letter queue by output name, such as
 * `DeliverWebhookQueueUrl` and `DeliverWebhookDeadLettersUrl`.
 */
export const addWorkers = (scope: Construct, resources: Resources): Record<string, string> =>
  Object.fromEntries(
    everyWorker.flatMap((worker) => {
      const { trigger } = worker;
      const { queueUrl, deadLettersUrl } = workerOutputs(worker);
      const id = pascalCase(worker.id);
      if (trigger.kind === 'stream') {
        const { deadLetters } = new StreamWorker(scope, id, worker, trigger, resources);
        return [[deadLettersUrl, deadLetters.queueUrl]];
      }
      const { deadLetters } = new QueueWorker(scope, id, worker, trigger, resources);
      return [
        [queueUrl, queueNamed(trigger.queue, resources).queueUrl],
        [deadLettersUrl, deadLetters.queueUrl],
      ];
    }),
  );
