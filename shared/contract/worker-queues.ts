import type { Worker } from './workers.ts';

/** The queue that a worker reads, and how. */
export interface WorkerQueue {
  readonly name: string;
  readonly batchSize: number;
  readonly visibilityTimeoutSeconds: number;
  readonly maximumReceives: number;
  readonly maximumConcurrency: number;
  readonly maximumHops?: number;
}

/**
 * One message at a time, and two at once at most, which is Lambda's least: what is scheduled is not urgent. A hop is a page of
 * 100 programs or more: ten million programs.
 */
const ofSchedule = { batchSize: 1, maximumReceives: 5, maximumConcurrency: 2, maximumHops: 100_000 } as const;

/** A scheduled worker has a queue of its name: its messages are the times, and what the worker left for later. */
export const queueOf = ({ id, trigger, timeoutSeconds }: Worker): WorkerQueue | undefined => {
  if (trigger.kind === 'stream') return undefined;
  if (trigger.kind === 'schedule') return { name: id, visibilityTimeoutSeconds: 6 * timeoutSeconds, ...ofSchedule };
  const { kind: _, queue: name, ...figures } = trigger;
  return { name, ...figures };
};
