import { queueNames } from './needs.ts';
import { queueOf } from './worker.ts';
import { type Worker, workers } from './workers.ts';

const everyWorker: readonly Worker[] = workers;

const sendsTo = ({ id, needs, trigger }: Worker): string[] => [
  ...queueNames.filter((queue) => needs.includes(`${queue}:send`)),
  ...(trigger.kind === 'schedule' ? [id] : []),
];

const readersOf = (queue: string, all: readonly Worker[]): Worker[] =>
  all.filter((worker) => queueOf(worker)?.name === queue);

/** Whether a message in queue `start` can lead to one in queue `end`, directly or through workers. */
export const leadsTo = (start: string, end: string, all = everyWorker): boolean => {
  const reached = new Set([start]);
  // The set grows while it is iterated: added queues are visited too.
  for (const queue of reached) for (const next of readersOf(queue, all).flatMap(sendsTo)) reached.add(next);
  return reached.has(end);
};

/** Lambda stops such a loop after 16 invocations unless the function says `RecursiveLoop: Allow`. */
export const isInLoop = (worker: Worker, all = everyWorker): boolean => {
  const own = queueOf(worker)?.name;
  return own !== undefined && sendsTo(worker).some((queue) => leadsTo(queue, own, all));
};

/** The worker's hop limit; undefined outside loops. Throws if a worker in a loop has none, or another one has one. */
export const hopLimitOf = (worker: Worker, all = everyWorker): number | undefined => {
  const limit = queueOf(worker)?.maximumHops;
  const inLoop = isInLoop(worker, all);
  if (inLoop && limit === undefined)
    throw new Error(`The worker '${worker.id}' sends messages that lead back to its own queue: it needs maximumHops`);
  if (!inLoop && limit !== undefined)
    throw new Error(`The worker '${worker.id}' has maximumHops, but sends no messages that lead back to its own queue`);
  return limit;
};

export const deadLettersVariable = 'DEAD_LETTERS_URL';
