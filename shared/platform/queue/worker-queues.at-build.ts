import { hopLimitOf, leadsTo } from '../../contract/loops.ts';
import { queueOf } from '../../contract/worker.ts';
import { type Worker, workers } from '../../contract/workers.ts';

const everyWorker: readonly Worker[] = workers;

export const workerQueues: Readonly<Record<string, { name: string; hopLimit?: number | undefined }>> =
  Object.fromEntries(
    everyWorker.flatMap((worker) => {
      const name = queueOf(worker)?.name;
      return name === undefined ? [] : [[worker.id, { name, hopLimit: hopLimitOf(worker) }]];
    }),
  );

const names = Object.values(workerQueues).map(({ name }) => name);

export const leadingBackTo: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  names.map((end) => [end, names.filter((start) => leadsTo(start, end))]),
);
