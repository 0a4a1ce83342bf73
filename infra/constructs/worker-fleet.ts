import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { queueOf } from '../../shared/contract/worker.ts';
import { type Worker, workers } from '../../shared/contract/workers.ts';
import { pascalCase } from './pascal-case.ts';
import { QueueWorker } from './queue-worker.ts';
import { queueNamed, type Resources } from './resources.ts';
import { StreamWorker } from './stream-worker.ts';
import { WorkQueue } from './work-queue.ts';
import { workerOutputs } from './worker-outputs.ts';

const everyWorker: readonly Worker[] = workers;

/** The queue of every worker that has one. Before the workers, because they send to each other. */
export const addWorkQueues = (scope: Construct, alarmTopic: ITopic | undefined): Map<string, WorkQueue> => {
  const queues = new Map<string, WorkQueue>();
  for (const worker of everyWorker) {
    const queue = queueOf(worker);
    if (queue)
      queues.set(queue.name, new WorkQueue(scope, `${pascalCase(queue.name)}Queue`, worker, queue, alarmTopic));
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
      const queue = queueOf(worker);
      if (!queue) throw new Error(`Nothing starts the worker '${worker.id}'`);
      const { deadLetters } = new QueueWorker(scope, id, worker, queue, resources);
      return [
        [queueUrl, queueNamed(queue.name, resources).queueUrl],
        [deadLettersUrl, deadLetters.queueUrl],
      ];
    }),
  );
