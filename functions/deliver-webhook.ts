import { queueWorker } from '../shared/queue/queue-worker.ts';
import { deliver } from '../shared/webhooks/deliver.ts';
import { DeliveryMessage } from '../shared/webhooks/delivery-message.ts';
import { post } from '../shared/webhooks/send.ts';
import { extraHosts } from '../shared/webhooks/url-rules.ts';

const deadlineMilliseconds = 15_000;

export const handler = queueWorker(DeliveryMessage, (message) =>
  deliver(message, {
    post: (posting) => post(posting, { extraHosts: extraHosts(), deadlineMilliseconds }),
    now: () => new Date(),
    random: Math.random,
  }),
);
