import { ExportMessage, exportProgram } from '../shared/domain/exports/export-program.ts';
import { fileState, streamFile } from '../shared/platform/objects/files.ts';
import { queueWorker } from '../shared/platform/queue/queue-worker.ts';
import { send } from '../shared/platform/queue/send.ts';

export const handler = queueWorker('export-program', ExportMessage, (message) =>
  exportProgram(message, {
    streamFile,
    fileState,
    send: (next, delaySeconds) => send('exports', next, next.programId, delaySeconds),
    now: () => new Date(),
  }),
);
