import * as z from 'zod';
import { queueWorker } from '../shared/platform/queue/queue-worker.ts';
import { send } from '../shared/platform/queue/send.ts';
import { sendBatch } from '../shared/platform/queue/send-batch.ts';
import { cancelDeliveries } from '../shared/webhooks/delivery/cancel-deliveries.ts';
import { CancellationMessage, RedeliveryMessage } from '../shared/webhooks/delivery/redelivery-message.ts';
import { retryDeliveries } from '../shared/webhooks/delivery/retry-deliveries.ts';

const Message = z.union([RedeliveryMessage, CancellationMessage]);

export const handler = queueWorker('retry-deliveries', Message, (message) => {
  if ('deleted' in message)
    return cancelDeliveries(message, {
      now: () => new Date(),
      goOn: (next) => send('redeliveries', next, next.webhookId),
    });
  return retryDeliveries(message, {
    sendAttempts: async (outgoing) => {
      const unsent = await sendBatch('deliveries', outgoing);
      if (unsent.size > 0) throw new Error(`${unsent.size} attempts for endpoint ${message.webhookId} were not sent`);
    },
    goOn: (next, delaySeconds) => send('redeliveries', next, next.webhookId, delaySeconds),
  });
});
