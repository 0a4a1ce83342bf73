import { ErasureMessage, erasePerson } from '../shared/domain/privacy/erase-person.ts';
import { queueWorker } from '../shared/platform/queue/queue-worker.ts';
import { send } from '../shared/platform/queue/send.ts';
import { eventSteps } from '../shared/webhooks/privacy/erase-events.ts';

export const handler = queueWorker('erase-person', ErasureMessage, (message) =>
  erasePerson(message, {
    send: (next, delaySeconds) => send('erasures', next, next.programId, delaySeconds),
    now: () => new Date(),
    eventSteps,
  }),
);
