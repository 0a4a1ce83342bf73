import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

interface Media {
  schema: object;
  example: unknown;
}

interface DocumentedResponse {
  $ref?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, Media>;
}

interface Parameter {
  name?: string;
  in?: 'path' | 'query';
  example?: unknown;
}

export interface DocumentedOperation {
  id: string;
  method: string;
  path: string;
  parameters: Parameter[];
  /** By content type, with an example of each. */
  bodies: Record<string, Media>;
  responses: Record<string, DocumentedResponse>;
  needsNoKey: boolean;
}

interface PathItem {
  operationId: string;
  parameters: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, DocumentedResponse>;
  security?: unknown[];
}

/** An OpenAPI document, as far as these tests read it. */
export interface OpenApi {
  servers: { url: string }[];
  paths: Record<string, Record<string, PathItem>>;
  webhooks?: Record<string, unknown>;
  components: { responses: Record<string, DocumentedResponse> };
}

export const operationsOf = ({ paths }: OpenApi): DocumentedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id, parameters, requestBody, responses, security }]) => ({
      id,
      method: method.toUpperCase(),
      path,
      parameters,
      responses,
      bodies: requestBody?.content ?? {},
      needsNoKey: security?.length === 0,
    })),
  );

const pointer = (keys: readonly string[]): string =>
  keys.map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** Where the examples are that stand beside a schema: of parameters, headers, bodies and webhooks. */
export const examplesIn = (value: unknown, at: readonly string[] = []): { at: string[]; example: unknown }[] => {
  if (!(value instanceof Object)) return [];
  if ('schema' in value && 'example' in value) return [{ at: [...at], example: value.example }];
  return Object.entries(value).flatMap(([key, inner]) => examplesIn(inner, [...at, key]));
};

/** Checks values by the schemas of a document. */
export class SchemaCheck {
  readonly #document: OpenApi;
  readonly #ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });

  constructor(document: OpenApi) {
    this.#document = document;
    formats.default(this.#ajv);
    this.#ajv.addSchema(document, 'openapi');
  }

  /** What is wrong with a value by the schema below the keys `at`; nothing if the list is empty. */
  problemsOf(value: unknown, at: readonly string[]): string[] {
    const validate = this.#ajv.getSchema(`openapi#${pointer([...at, 'schema'])}`);
    if (!validate) throw new Error(`There is no schema at ${at.join(' ')}`);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  /** A documented response, and the keys that lead to it. */
  responseOf({ path, method, responses }: DocumentedOperation, status: number) {
    const documented = responses[status];
    const name = documented?.$ref?.split('/').at(-1);
    if (name) return { response: this.#document.components.responses[name], at: ['components', 'responses', name] };
    return { response: documented, at: ['paths', path, method.toLowerCase(), 'responses', String(status)] };
  }
}
