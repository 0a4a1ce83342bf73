import { DeletionMessage, finishDeletion } from '../shared/deletions/finish-deletion.ts';
import { queueWorker } from '../shared/queue/queue-worker.ts';
import { send } from '../shared/queue/send.ts';

export const handler = queueWorker('finish-deletion', DeletionMessage, (message) =>
  finishDeletion(message, {
    send: (next, delaySeconds) => send('deletions', next, next.programId, delaySeconds),
    now: () => new Date(),
  }),
);
