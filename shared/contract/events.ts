import * as z from 'zod';
import { Actor } from './actor.ts';
import { eventTypes } from './event-types.ts';
import { exactLine, paging, recordFields, returnedInstant, uuid } from './fields.ts';
import { operation } from './operation.ts';
import { recordName } from './record-name.ts';

export const ProgramEvent = z
  .object({
    ...recordFields,
    type: z.string(),
    timestamp: returnedInstant,
    actor: Actor.nullable().describe('Who did it; null where it is not known.'),
    data: z.record(z.string(), z.unknown()).describe('The REST record as of the event; after a delete as it last was.'),
    previousAttributes: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('On `.updated`: the changed fields as they were before.'),
  })
  .meta({ id: 'Event' });

const after = exactLine
  .min(1)
  .max(2000)
  .optional()
  .describe(
    '`start` for the oldest event that is kept, `now` for those that come from now on, or the `Next-After` header of the ' +
      'response before. 410 (`feed_expired`) when that is older than 30 days.',
  );
const notWithAfter = ['cursor', 'createdAfter', 'createdBefore', 'updatedAfter', 'id'] as const;

const listEvents = operation({
  id: 'listEvents',
  method: 'GET',
  path: '/events',
  auth: 'key',
  tag: 'Events',
  summary: 'List events',
  description:
    'What happened in the last 30 days, whether or not an endpoint asked for it. `type`, `timestamp`, `actor`, `data` and ' +
    '`previousAttributes` are what webhooks get. With `after` it is a feed: oldest first, in the order in which events were ' +
    'stored, so that a client that keeps the `Next-After` header of each response misses none and gets none twice.',
  query: z
    .strictObject({ id: uuid.optional(), type: z.enum(eventTypes).optional(), after, ...paging })
    .superRefine((query, context) => {
      const other = notWithAfter.find((name) => query.after !== undefined && query[name] !== undefined);
      if (other)
        context.addIssue({ code: 'custom', path: [other], message: `${other} cannot be given together with after` });
    }),
  response: ProgramEvent,
  lists: true,
  selectors: ['id'],
  errors: ['not_found', 'feed_expired'],
  needs: ['EVENT:read', 'EVENT:list', 'EVENT:list:GSI1', 'FEED:read', 'FEED:list'],
  example: { query: { type: 'sale.created' } },
});

const readEvent = operation({
  id: 'readEvent',
  method: 'GET',
  path: '/events/{id}',
  auth: 'key',
  tag: 'Events',
  summary: 'Read an event',
  parameters: z.strictObject({ id: recordName('Event', uuid) }),
  query: z.strictObject({}),
  response: ProgramEvent,
  errors: ['not_found'],
  needs: ['EVENT:read'],
  example: { parameters: { id: '019a0000-0000-7000-8000-0000000000e0' } },
});

export const eventOperations = [listEvents, readEvent] as const;
