import type { CatalogueEntry } from '../../../events/family.ts';
import { thingNamed } from '../../contract/described-things.ts';
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

const pascal = (type: string): string =>
  type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** Not the tag of the operations on endpoints: generators make a file for each tag. */
export const webhookTag = { name: 'Webhook events', description: 'What an endpoint receives, by type of event.' };

const bodyOf = ({ type, schema }: CatalogueEntry): Json => {
  const name = `${pascal(type)}Event`;
  const before = { name: 'previousAttributes', thing: thingNamed(name) };
  const described = schemaOf(schema, 'output', { thing: 'Event', field: before });
  return { $ref: `#/components/schemas/${name}`, $defs: { [name]: described } };
};

/** What an endpoint receives: one webhook for each type of event. */
export const webhookPathsOf = (catalogue: readonly CatalogueEntry[]): Json =>
  Object.fromEntries(
    catalogue.map((entry) => [
      pascal(entry.type),
      {
        post: {
          operationId: `on${pascal(entry.type)}`,
          tags: [webhookTag.name],
          summary: entry.type,
          description: entry.description,
          security: [],
          parameters: signatureHeaders,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: bodyOf(entry), example: entry.example } },
          },
          responses: {
            '2XX': { description: 'Received. Anything else, and a redirect too, is a failure and is tried again.' },
            '4XX': { description: 'Failed, and tried again. 410 deactivates the endpoint.' },
          },
        },
      },
    ]),
  );

/** By reference: OpenAPI Generator leaves out webhooks that it finds so, and makes code that does not compile of others. */
export const webhooksOf = (catalogue: readonly CatalogueEntry[]): Json =>
  Object.fromEntries(catalogue.map(({ type }) => [type, { $ref: `#/components/pathItems/${pascal(type)}` }]));
