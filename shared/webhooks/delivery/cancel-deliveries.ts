import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { changeDelivery } from './change-delivery.ts';
import { cancelled, endpointDeleted } from './delivery-rules.ts';
import type { CancellationMessage } from './redelivery-message.ts';
import { deliveries, deliveriesThatAre } from './repository.ts';

const maxInOneStep = 100;
const maxConcurrency = 20;

interface Tools {
  now: () => Date;
  /** Throws if the message was not accepted. */
  goOn: (message: CancellationMessage) => Promise<void>;
}

/**
 * Cancels one page of what waits for a deleted endpoint and continues by message; may run twice and from any point. What is
 * stored since is cancelled by its first attempt. docs/behavior.md#deactivation
 */
export const cancelDeliveries = async (message: CancellationMessage, { now, goOn }: Tools): Promise<void> => {
  const { programId, webhookId, after } = message;
  const request = { limit: maxInOneStep, after, isOneRead: true };
  const ofEndpoint = (delivery: { webhookId: string }) => delivery.webhookId === webhookId;
  const page = await deliveries.page(programId, request, deliveriesThatAre('PENDING'), ofEndpoint);
  await forEachConcurrent(page.items, maxConcurrency, async (delivery) => {
    await changeDelivery(programId, delivery, (current) =>
      current.status === 'PENDING' ? cancelled(current, endpointDeleted, now()) : undefined,
    );
  });
  if (page.next) await goOn({ ...message, after: page.next });
};
