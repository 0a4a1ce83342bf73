import { type QueueName, queueNames } from './needs.ts';
import { type Worker, workers } from './workers.ts';

const everyWorker: readonly Worker[] = workers;

const sendsTo = ({ needs }: Worker): QueueName[] => queueNames.filter((queue) => needs.includes(`${queue}:send`));

const readersOf = (queue: QueueName, all: readonly Worker[]): Worker[] =>
  all.filter(({ trigger }) => trigger.kind === 'queue' && trigger.queue === queue);

/** Whether a message in the queue `start` can lead to a message in the queue `end`: the same one, or through workers. */
export const leadsTo = (start: QueueName, end: QueueName, all = everyWorker): boolean => {
  const reached = new Set([start]);
  // A set that grows while it is walked: what is added is visited too.
  for (const queue of reached) for (const next of readersOf(queue, all).flatMap(sendsTo)) reached.add(next);
  return reached.has(end);
};

/** Whether a worker sends messages that lead back to its own queue. Lambda stops such a loop unless it is allowed. */
export const isInLoop = (worker: Worker, all = everyWorker): boolean => {
  const { trigger } = worker;
  return trigger.kind === 'queue' && sendsTo(worker).some((queue) => leadsTo(queue, trigger.queue, all));
};

/**
 * How many messages of a chain a worker may handle; undefined where it is in no loop. Throws where a worker in a loop
 * declares no limit, or another one declares one.
 */
export const hopLimitOf = (worker: Worker, all = everyWorker): number | undefined => {
  const limit = worker.trigger.kind === 'queue' ? worker.trigger.maximumHops : undefined;
  const inLoop = isInLoop(worker, all);
  if (inLoop && limit === undefined)
    throw new Error(`The worker '${worker.id}' sends messages that lead back to its own queue: it needs maximumHops`);
  if (!inLoop && limit !== undefined)
    throw new Error(`The worker '${worker.id}' has maximumHops, but sends no messages that lead back to its own queue`);
  return limit;
};

/** The environment variable of a worker in a loop that holds the URL of its dead-letter queue. */
export const deadLettersVariable = 'DEAD_LETTERS_URL';
