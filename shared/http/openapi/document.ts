import type { CatalogueEntry } from '../../../events/family.ts';
import type { Operation } from '../../contract/operation.ts';
import { tagDescriptions } from '../../contract/tags.ts';
import { errorResponses, errorSchemas, headers, parameters } from './components.ts';
import { describeOperation } from './operation.ts';
import { type Json, takeNamedSchemas } from './schemas.ts';
import { webhookPathsOf, webhooksOf, webhookTag } from './webhooks.ts';

interface DocumentSettings {
  title: string;
  description: string;
  serverUrl: string;
  helpUrl: string;
  operations: readonly Operation[];
  events?: readonly CatalogueEntry[];
}

const pathsOf = (operations: readonly Operation[]): Json =>
  Object.fromEntries(
    [...Map.groupBy(operations, ({ path }) => path)].map(([path, here]) => [
      path,
      Object.fromEntries(here.map((operation) => [operation.method.toLowerCase(), describeOperation(operation)])),
    ]),
  );

const tagsOf = (operations: readonly Operation[]): Json[] => {
  const described = new Map(Object.entries(tagDescriptions));
  return [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name, description: described.get(name) }));
};

const used = (kind: string, components: Json, value: unknown): Json => {
  const text = JSON.stringify(value);
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
  );
};

/** The OpenAPI 3.1 document of one surface of the API. */
export const openApiDocument = (settings: DocumentSettings): Json => {
  const { title, description, serverUrl, helpUrl, operations, events } = settings;
  const described = {
    paths: pathsOf(operations),
    ...(events && { webhooks: webhooksOf(events), pathItems: webhookPathsOf(events) }),
  };
  const { without: parts, schemas } = takeNamedSchemas(described);
  const { pathItems, ...without } = parts;
  const responses = used('responses', errorResponses, without);
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: '1.0.0',
      description,
      contact: { name: title, url: helpUrl },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    tags: [...tagsOf(operations), ...(events ? [webhookTag] : [])],
    security: [{ apiKey: [] }],
    ...without,
    components: {
      schemas: { ...schemas, ...used('schemas', errorSchemas, [responses, errorSchemas, parts]) },
      responses,
      ...(events && { pathItems }),
      headers: used('headers', headers, [without, responses]),
      parameters: used('parameters', parameters, without),
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'A key of the program, as `Authorization: Bearer <key>`.',
        },
      },
    },
  };
};
