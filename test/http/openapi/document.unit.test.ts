import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { CatalogueEntry } from '../../../events/family.ts';
import type { Operation } from '../../../shared/contract/operation.ts';
import { tagDescriptions } from '../../../shared/contract/tags.ts';
import { errorResponses, headers, parameters } from '../../../shared/http/openapi/components.ts';
import { openApiDocument } from '../../../shared/http/openapi/document.ts';
import { describeOperation } from '../../../shared/http/openapi/operation.ts';

const Thing = z.object({ size: z.number() }).meta({ id: 'Thing' });
const read: Operation = {
  id: 'readSale',
  method: 'GET',
  path: '/sales',
  auth: 'key',
  tag: 'Sales',
  summary: 'Read a sale',
  query: z.strictObject({}),
  response: Thing,
  errors: [],
  needs: [],
  example: {},
};
const remove: Operation = { ...read, id: 'deleteSale', method: 'DELETE' };
const health: Operation = { ...read, id: 'readHealth', path: '/health', auth: 'none', tag: 'Documentation' };
const documentOf = (operations: readonly Operation[], events?: readonly CatalogueEntry[]) =>
  openApiDocument({
    title: 'Sales',
    description: 'About sales.',
    serverUrl: 'https://example.com/api',
    helpUrl: 'https://example.com/docs',
    operations,
    ...(events && { events }),
  });
const componentsOf = (operations: readonly Operation[]) => {
  const { components } = documentOf(operations);
  return components as Record<string, Record<string, unknown>>;
};
const namesIn = (operations: readonly Operation[], kind: string) => Object.keys(componentsOf(operations)[kind] ?? {});

describe('an OpenAPI document', () => {
  it('says what it is, where the API is, and what it is reached with', () => {
    const document = documentOf([read]);
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: {
        title: 'Sales',
        version: '1.0.0',
        description: 'About sales.',
        contact: { name: 'Sales', url: 'https://example.com/docs' },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: 'https://example.com/api' }],
      security: [{ apiKey: [] }],
      components: {
        securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: expect.stringMatching(/./) } },
      },
    });
    expect(document).not.toHaveProperty('webhooks');
  });

  it('has every operation, by path and method', () => {
    const { paths } = documentOf([read, health, remove]);
    expect(paths).toMatchObject({
      '/sales': { get: { operationId: 'readSale' }, delete: { operationId: 'deleteSale' } },
      '/health': { get: { operationId: 'readHealth' } },
    });
    const { responses, ...described } = describeOperation(remove);
    expect(paths).toMatchObject({ '/sales': { delete: described } });
  });

  it('describes each group of its operations once', () => {
    expect(documentOf([read, health, remove]).tags).toEqual([
      { name: 'Sales', description: tagDescriptions.Sales },
      { name: 'Documentation', description: tagDescriptions.Documentation },
    ]);
  });

  it('has the schemas that it points to, once each, and the webhooks of events', () => {
    const example = { id: '', timestamp: '', actor: null, data: {}, type: 'sale.created' as const };
    const schema = z.object({ data: z.object({ part: z.number() }).meta({ id: 'Part' }) });
    const document = documentOf([read, health], [{ type: 'sale.created', description: 'Made.', schema, example }]);
    const { components, webhooks } = document;
    expect(webhooks).toEqual({ 'sale.created': { $ref: '#/components/pathItems/SaleCreated' } });
    expect(components).toMatchObject({
      pathItems: { SaleCreated: { post: { description: 'Made.' } } },
      schemas: { Thing: { type: 'object' }, Part: { type: 'object' }, SaleCreatedEvent: { type: 'object' } },
    });
    expect(JSON.stringify(document)).not.toContain('$defs');
  });

  it('has those components only that something points to', () => {
    const errors = [400, 401, 403, 404, 429, 500, 503].map((status) => `RequestError${status}`);
    expect(componentsOf([read]).responses).toEqual(
      Object.fromEntries(errors.map((name) => [name, errorResponses[name]])),
    );
    const limits = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
    expect(namesIn([read], 'headers').sort()).toEqual(['ETag', ...limits, 'Retry-After', 'x-request-id'].sort());
    expect(namesIn([health], 'headers')).toEqual(['ETag', 'x-request-id']);
    expect(componentsOf([health]).headers).toEqual({ ETag: headers.ETag, 'x-request-id': headers['x-request-id'] });
    expect(componentsOf([read]).parameters).toEqual({});
    expect(componentsOf([remove]).parameters).toEqual({ IdempotencyKey: parameters.IdempotencyKey });
    expect(namesIn([read], 'schemas').sort()).toEqual(['ErrorDetail', 'RequestError', 'Thing']);
    expect(namesIn([remove], 'schemas').sort()).toEqual(['ChangeError', 'ErrorDetail', 'RequestError', 'Thing']);
  });

  it('has the schema of an error that only an operation points to', () => {
    const errorFields = { name: 'Not found' };
    const only = { ...read, auth: 'none' as const, errorFields };
    expect(namesIn([only], 'responses')).toEqual([]);
    expect(namesIn([only], 'schemas').sort()).toEqual(['ErrorDetail', 'RequestError', 'Thing']);
  });
});
