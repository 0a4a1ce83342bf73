import * as z from 'zod';
import { recordFields } from './fields.ts';
import { operation } from './operation.ts';
import { ReviewRules } from './review.ts';

export const attributions = ['LAST_CLICK', 'FIRST_CLICK'] as const;

export const attributionDays = z.int().min(1).max(365);

export const Program = z
  .object({
    ...recordFields,
    name: z.string(),
    currency: z.string(),
    commissionRate: z.number().describe('Percent that an affiliate earns when neither sale nor affiliate says.'),
    baseUrls: z.array(z.string()),
    timeZone: z.string(),
    handle: z.string().describe('Names the program in addresses that affiliates share. Unique in the service.'),
    attribution: z.enum(attributions).describe('Which click a browser keeps where a visitor followed several links.'),
    attributionDays: z.int().describe('How many days after a click a sale is credited to it.'),
    reviewRules: ReviewRules.describe('Which sales are held for review, or refused.'),
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
