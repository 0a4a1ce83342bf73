import type { SQSHandler } from 'aws-lambda';
import { queueWorker } from '../shared/platform/queue/queue-worker.ts';
import { deliver } from '../shared/webhooks/delivery/deliver.ts';
import { DeliveryMessage } from '../shared/webhooks/delivery/delivery-message.ts';
import { deliveryMetrics } from '../shared/webhooks/delivery/delivery-metrics.ts';
import { post } from '../shared/webhooks/delivery/send.ts';
import { extraHosts } from '../shared/webhooks/endpoints/url-rules.ts';

const deadlineMilliseconds = 15_000;
const metrics = deliveryMetrics();

const work = queueWorker('deliver-webhook', DeliveryMessage, async (message) => {
  const outcome = await deliver(message, {
    post: (posting) => post(posting, { extraHosts: extraHosts(), deadlineMilliseconds }),
    now: () => new Date(),
    random: Math.random,
  });
  metrics.count(outcome);
});

export const handler: SQSHandler = async (...invocation) => {
  const response = await work(...invocation);
  metrics.publish();
  return response;
};
