import * as z from 'zod';
import { operation } from './operation.ts';

const Health = z
  .object({
    status: z.literal('ok').describe('The service works, and so does its table. Otherwise the response is a 503.'),
    version: z.string().describe('The version of the code.'),
    stage: z.string().describe('The stage that this is, such as `prod`.'),
  })
  .meta({ id: 'Health' });

const readHealth = operation({
  id: 'readHealth',
  method: 'GET',
  path: '/health',
  auth: 'none',
  tag: 'Documentation',
  summary: 'Whether the service works',
  description: 'For monitors and deployments. It needs no key. The state of the table is at most five seconds old.',
  query: z.strictObject({}),
  response: Health,
  errors: ['unavailable'],
  needs: ['health:check'],
  example: {},
});

export const healthOperations = [readHealth] as const;
