import * as z from 'zod';
import { eventTypes } from '../event-types.ts';
import { webPage } from '../page.ts';
import { cursor, filter, period } from './list-query.ts';

const area = { function: 'web-webhooks', auth: 'session' } as const;
const path = '/programs/{programId}/events';

export const showEvents = webPage({
  ...area,
  id: 'showEvents',
  method: 'GET',
  path,
  query: z.object({ type: filter(z.enum(eventTypes)), ...period, cursor }),
  needs: ['EVENT:read', 'EVENT:list', 'EVENT:list:GSI1'],
});

export const showEvent = webPage({
  ...area,
  id: 'showEvent',
  method: 'GET',
  path: `${path}/{eventId}`,
  query: z.object({ cursor }),
  needs: ['EVENT:read', 'DELIVERY:read', 'DELIVERY:list:GSI2', 'WEBHOOK:list'],
});

export const eventPages = [showEvents, showEvent] as const;
