import type { StoredDelivery } from '../../shared/webhooks/delivery/delivery-rules.ts';
import type { StoredWebhook } from '../../shared/webhooks/endpoints/rules.ts';

const moment = '2026-01-01T00:00:00.000Z';

/** An active endpoint that has not failed. */
export const makeStoredWebhook = (overrides: Partial<StoredWebhook> = {}): StoredWebhook => ({
  id: '019a0000-0000-7000-8000-000000000001',
  createdAt: moment,
  updatedAt: moment,
  version: 1,
  url: 'https://example.com/hooks',
  eventTypes: ['*'],
  description: null,
  active: true,
  deactivationReason: null,
  deactivatedAt: null,
  connection: null,
  sealedSecret: 'encrypted',
  seenBy: [],
  previousSealedSecret: null,
  previousSecretUntil: null,
  failingSince: null,
  isResponsive: true,
  missedSince: null,
  missedUntil: null,
  slot: 0,
  ...overrides,
});

/** A delivery that waits for its first attempt. */
export const makeStoredDelivery = (overrides: Partial<StoredDelivery> = {}): StoredDelivery => ({
  id: '019a0000-0000-7000-8000-000000000002',
  createdAt: moment,
  updatedAt: moment,
  version: 1,
  ttl: 1_800_000_000,
  eventId: '019a0000-0000-7000-8000-000000000003',
  eventType: 'coupon.created',
  webhookId: '019a0000-0000-7000-8000-000000000001',
  connection: null,
  status: 'PENDING',
  cancellationReason: null,
  attempts: [],
  manualAttempts: [],
  nextAttemptAt: moment,
  ...overrides,
});
