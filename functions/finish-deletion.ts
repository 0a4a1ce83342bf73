import { DeletionMessage, finishDeletion } from '../shared/domain/deletions/finish-deletion.ts';
import { deleteFile } from '../shared/platform/objects/files.ts';
import { queueWorker } from '../shared/platform/queue/queue-worker.ts';
import { send } from '../shared/platform/queue/send.ts';
import { webhooks } from '../shared/webhooks/endpoints/repository.ts';
import { expireFeed } from '../shared/webhooks/feed/log.ts';

export const handler = queueWorker('finish-deletion', DeletionMessage, (message) =>
  finishDeletion(message, {
    send: (next, delaySeconds) => send('deletions', next, next.programId, delaySeconds),
    now: () => new Date(),
    webhooks,
    expireFeed,
    deleteFile,
  }),
);
