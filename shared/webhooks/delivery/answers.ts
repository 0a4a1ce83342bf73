import type * as z from 'zod';
import type { ProgramEvent } from '../../contract/events.ts';
import type { WebhookDelivery } from '../../contract/webhook-deliveries.ts';
import type { StoredDelivery } from './delivery-rules.ts';
import type { StoredEvent } from './repository.ts';

/** The REST record of a delivery: its attempts in the order in which they were made. */
export const deliveryAnswer = ({
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

/** The REST record of an event: what was sent, and when it was made. */
export const eventAnswer = ({ body, ...stored }: StoredEvent): z.input<typeof ProgramEvent> => ({
  ...stored,
  ...JSON.parse(body),
});
