import type * as z from 'zod';
import type { ProgramEvent } from '../../contract/events.ts';
import type { WebhookDelivery } from '../../contract/webhook-deliveries.ts';
import type { StoredDelivery } from './delivery-rules.ts';
import type { StoredEvent } from './repository.ts';

export const deliveryResponse = ({
  attempts,
  manualAttempts,
  ...delivery
}: StoredDelivery): z.input<typeof WebhookDelivery> => ({
  ...delivery,
  attempts: [
    ...attempts.map((attempt) => ({ ...attempt, manual: false })),
    ...manualAttempts.map((attempt) => ({ ...attempt, manual: true })),
  ].sort((one, other) => Date.parse(one.attemptedAt) - Date.parse(other.attemptedAt)),
});

export const eventResponse = ({ body, ...stored }: StoredEvent): z.input<typeof ProgramEvent> => ({
  // Events that are older than this field have none.
  actor: null,
  ...stored,
  ...JSON.parse(body),
});
