import * as z from 'zod';
import { eventTypes } from './event-types.ts';
import { paging, recordFields, returnedInstant, uuid } from './fields.ts';
import { operation } from './operation.ts';

export const ProgramEvent = z
  .object({
    ...recordFields,
    type: z.string(),
    timestamp: returnedInstant,
    data: z.record(z.string(), z.unknown()).describe('The REST record as of the event; after a delete as it last was.'),
    previousAttributes: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('On `.updated`: the changed fields as they were before.'),
  })
  .meta({ id: 'Event' });

const listEvents = operation({
  id: 'listEvents',
  method: 'GET',
  path: '/events',
  auth: 'key',
  tag: 'Events',
  summary: 'Read one event or list them',
  description:
    'What happened in the last 30 days, whether or not an endpoint asked for it. `type`, `timestamp`, `data` and ' +
    '`previousAttributes` are what webhooks get.',
  query: z.strictObject({ id: uuid.optional(), type: z.enum(eventTypes).optional(), ...paging }),
  response: ProgramEvent,
  lists: true,
  errors: ['not_found'],
  needs: ['EVENT:read', 'EVENT:list', 'EVENT:list:GSI1'],
  example: { query: { type: 'sale.created' } },
});

export const eventOperations = [listEvents] as const;
