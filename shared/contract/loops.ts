import { type QueueName, queueNames } from './needs.ts';
import { type Worker, workers } from './workers.ts';

const everyWorker: readonly Worker[] = workers;

const sendsTo = ({ needs }: Worker): QueueName[] => queueNames.filter((queue) => needs.includes(`${queue}:send`));

const readersOf = (queue: QueueName, all: readonly Worker[]): Worker[] =>
  all.filter(({ trigger }) => trigger.kind === 'queue' && trigger.queue === queue);

/** Whether a message in queue `start` can lead to one in queue `end`, directly or through workers. */
export const leadsTo = (start: QueueName, end: QueueName, all = everyWorker): boolean => {
  const reached = new Set([start]);
  // The set grows while it is iterated: added queues are visited too.
  for (const queue of reached) for (const next of readersOf(queue, all).flatMap(sendsTo)) reached.add(next);
  return reached.has(end);
};

/** Lambda stops such a loop after 16 invocations unless the function says `RecursiveLoop: Allow`. */
export const isInLoop = (worker: Worker, all = everyWorker): boolean => {
  const { trigger } = worker;
  return trigger.kind === 'queue' && sendsTo(worker).some((queue) => leadsTo(queue, trigger.queue, all));
};

/** The worker's hop limit; undefined outside loops. Throws if a worker in a loop has none, or another one has one. */
export const hopLimitOf = (worker: Worker, all = everyWorker): number | undefined => {
  const limit = worker.trigger.kind === 'queue' ? worker.trigger.maximumHops : undefined;
  const inLoop = isInLoop(worker, all);
  if (inLoop && limit === undefined)
    throw new Error(`The worker '${worker.id}' sends messages that lead back to its own queue: it needs maximumHops`);
  if (!inLoop && limit !== undefined)
    throw new Error(`The worker '${worker.id}' has maximumHops, but sends no messages that lead back to its own queue`);
  return limit;
};

export const deadLettersVariable = 'DEAD_LETTERS_URL';
