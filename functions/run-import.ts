import { ImportMessage, runImport } from '../shared/domain/imports/run-import.ts';
import { openFile } from '../shared/platform/objects/files.ts';
import { queueWorker } from '../shared/platform/queue/queue-worker.ts';
import { send } from '../shared/platform/queue/send.ts';

export const handler = queueWorker('run-import', ImportMessage, (message) =>
  runImport(message, {
    openFile,
    send: (next) => send('imports', next, next.programId),
    now: () => new Date(),
  }),
);
