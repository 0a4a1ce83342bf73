import type { DeliveryStatus } from '../../contract/webhook-deliveries.ts';
import type { IndexEntry } from '../../platform/table/keys.ts';
import type { Page, PageRequest } from '../../platform/table/page.ts';
import type { StoredDelivery } from './delivery-rules.ts';
import { deliveries, deliveriesOf, deliveriesThatAre, deliveriesTo, undeliveredTo } from './repository.ts';

interface DeliveryFilters {
  webhookId?: string | undefined;
  eventId?: string | undefined;
  status?: DeliveryStatus | undefined;
}

/** An event has few deliveries, and few deliveries fail. */
const narrowest = ({ webhookId, eventId, status }: DeliveryFilters): IndexEntry | undefined => {
  if (eventId) return deliveriesOf(eventId);
  if (webhookId && (status === 'FAILED' || status === 'CANCELLED')) return undeliveredTo(webhookId);
  if (status && status !== 'SUCCEEDED') return deliveriesThatAre(status);
  return webhookId ? deliveriesTo(webhookId) : undefined;
};

/** Without those of subscriptions. docs/behavior.md#subscriptions */
export const listDeliveries = (
  programId: string,
  filters: DeliveryFilters,
  request: PageRequest,
): Promise<Page<StoredDelivery>> => {
  const { webhookId, status } = filters;
  const fits = (delivery: StoredDelivery) =>
    delivery.connection === null &&
    (!webhookId || delivery.webhookId === webhookId) &&
    (!status || delivery.status === status);
  return deliveries.page(programId, request, narrowest(filters), fits);
};
