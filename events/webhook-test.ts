import * as z from 'zod';
import type { Actor } from '../shared/contract/actor.ts';
import { actorExample, type CatalogueEntry, eventSchema, type RecordEvent } from './family.ts';
import { saleEvents } from './sale.ts';

const type = 'webhook.test';
const message = 'This is a test. Nothing has happened.';

export const WebhookTest = z.object({
  webhookId: z.uuid(),
  message: z.string(),
  example: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('The body of an example of the type that was asked for; null where none was.'),
});

/**
 * The event that a test of an endpoint sends. It follows from no change of a record: the request itself makes it.
 * `example` is the body of an example of another type, or null.
 */
export const webhookTestEvent = (
  id: string,
  webhookId: string,
  example: object | null,
  now: Date,
  actor: Actor | null = null,
): RecordEvent => {
  const timestamp = now.toISOString();
  const data = { webhookId, message, example };
  return { id, type, timestamp, body: JSON.stringify({ id, type, timestamp, actor, data }) };
};

const [saleCreated] = saleEvents.entries;

const example = webhookTestEvent(
  '019a0000-0000-7000-8000-0000000000e0',
  '019a0000-0000-7000-8000-0000000000f2',
  saleCreated?.example ?? null,
  new Date('2026-01-31T12:00:00.000Z'),
  actorExample,
);

export const webhookTestEntries: readonly CatalogueEntry<typeof type>[] = [
  {
    type,
    description: 'A test of one endpoint, which nobody else gets. It gets it whatever types it asked for.',
    schema: eventSchema(type, WebhookTest),
    example: JSON.parse(example.body),
  },
];
