import type { CatalogueEntry } from '../../../events/family.ts';
import { type Json, schemaOf } from './schemas.ts';

const signature = (name: string, description: string, example: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

const signatureHeaders: readonly Json[] = [
  signature('webhook-id', 'The id of the event: the same on every attempt.', '019a0000-0000-7000-8000-0000000000e0'),
  signature('webhook-timestamp', 'The time of the attempt, in seconds since 1970.', '1769860800'),
  signature(
    'webhook-signature',
    'Signatures by Standard Webhooks, separated by spaces.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

const operationIdOf = (type: string): string =>
  `on${type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`;

/** What an endpoint receives: one webhook for each type of event. */
export const webhooksOf = (catalogue: readonly CatalogueEntry[]): Json =>
  Object.fromEntries(
    catalogue.map(({ type, description, schema, example }) => [
      type,
      {
        post: {
          operationId: operationIdOf(type),
          tags: ['Webhooks'],
          summary: type,
          description,
          security: [],
          parameters: signatureHeaders,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(schema, 'output'), example } },
          },
          responses: {
            '2XX': { description: 'Received. Anything else, and a redirect too, is a failure and is tried again.' },
            '4XX': { description: 'Failed, and tried again. 410 deactivates the endpoint.' },
          },
        },
      },
    ]),
  );
