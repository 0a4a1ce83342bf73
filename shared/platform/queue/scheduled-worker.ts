import type { SQSHandler } from 'aws-lambda';
import * as z from 'zod';
import type { ScheduledWorkerId } from '../../contract/workers.ts';
import { queueWorker } from './queue-worker.ts';
import { send } from './send.ts';

const ScheduledMessage = z.strictObject({
  time: z.iso.datetime(),
  after: z.string().optional(),
  programId: z.string().optional(),
});

export interface ScheduledRun {
  readonly time: Date;
  readonly after: string | undefined;
  readonly programId: string | undefined;
  readonly leave: (rest: { after: string } | { programId: string }) => Promise<void>;
}

export const scheduledWorker = (id: ScheduledWorkerId, handle: (run: ScheduledRun) => Promise<void>): SQSHandler =>
  queueWorker(id, ScheduledMessage, ({ time, after, programId }) =>
    handle({
      time: new Date(time),
      after,
      programId,
      leave: (rest) => send(id, { time, ...rest }, 'programId' in rest ? rest.programId : id),
    }),
  );
