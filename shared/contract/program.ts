import * as z from 'zod';
import { recordFields } from './fields.ts';
import { operation } from './operation.ts';

const Program = z
  .object({
    ...recordFields,
    name: z.string(),
    currency: z.string(),
    commissionRate: z.number().describe('Percent that an affiliate earns when neither sale nor affiliate says.'),
    baseUrls: z.array(z.string()),
    timeZone: z.string(),
  })
  .meta({ id: 'Program' });

const readProgram = operation({
  id: 'readProgram',
  method: 'GET',
  path: '/program',
  auth: 'key',
  tag: 'Program',
  summary: 'The program that the key belongs to',
  query: z.strictObject({}),
  response: Program,
  errors: [],
  needs: ['PROGRAM:read'],
  example: {},
});

export const programOperations = [readProgram] as const;
