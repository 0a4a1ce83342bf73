import * as z from 'zod';
import type { ErrorCode } from './errors.ts';
import { inQuery } from './fields.ts';
import type { Need } from './needs.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One operation. Route, Lambda, permissions, parsing, types, documentation and security tests are derived from it. */
export interface Operation {
  readonly id: string;
  /** The main API unless set. docs/behavior.md#lenient-input */
  readonly surface?: 'connector';
  readonly method: Method;
  /** Below `/api/v1`, or `/api/<platform>` on the connector. docs/behavior.md#where-ids-go */
  readonly path: `/${string}`;
  /** `key`: bearer token. `code`: the token in the body's `code`. `none`: public. */
  readonly auth: 'key' | 'code' | 'none';
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** A value that the schema refuses is a 404 with the schema's message. */
  readonly parameters?: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly response: z.ZodType;
  /** Returns an array of `response`, in pages. docs/behavior.md#lists */
  readonly lists?: boolean;
  /** Query parameters of a list that each select one record, which is returned as an object. docs/behavior.md#selectors */
  readonly selectors?: readonly string[];
  /** Of a write: the body fields that name records, which may come in the query too. docs/behavior.md#where-ids-go */
  readonly ids?: readonly string[];
  /** Whether the connector has it too. */
  readonly connector?: boolean;
  /** What error bodies on its path hold beside `error`. */
  readonly errorFields?: Readonly<Record<string, string>>;
  /** `Accept: text/csv` returns a record's parts as CSV. */
  readonly csv?: boolean;
  /** The same response for everybody, so caches may keep it. */
  readonly cacheable?: boolean;
  readonly html?: boolean;
  readonly errors: readonly ErrorCode[];
  readonly needs: readonly Need[];
  readonly example: {
    parameters?: Record<string, string>;
    query?: Record<string, string>;
    body?: Record<string, unknown>;
    /** Of a record that others show too it is in `response-examples.ts`. */
    response?: unknown;
  };
}

const idsInQuery = ({ id, body, ids = [] }: Operation): Record<string, z.ZodType> =>
  Object.fromEntries(
    ids.map((name) => {
      const field = body?.shape[name];
      if (!(field instanceof z.ZodType)) throw new Error(`${id} has no field ${name} that could name a record`);
      return [name, inQuery(field).optional()];
    }),
  );

/** The client's method for a write takes the id out of its body, so an id in its path does not compile. docs/behavior.md#where-ids-go */
type IdsInBody<O extends Operation> = 'GET' extends O['method']
  ? unknown
  : O extends { surface: 'connector' }
    ? unknown
    : { readonly parameters?: never };

/** The query of a write takes its ids too; the type leaves them out, because a handler finds them in the body. */
export const operation = <const O extends Operation>(value: O & IdsInBody<O>): O =>
  value.ids ? { ...value, query: z.strictObject({ ...value.query.shape, ...idsInQuery(value) }) } : value;

export type QueryOf<O extends Operation> = z.output<O['query']>;
export type BodyOf<O extends Operation> = O['body'] extends z.ZodObject ? z.output<O['body']> : Record<string, never>;
export type ParametersOf<O extends Operation> = O['parameters'] extends z.ZodObject
  ? z.output<O['parameters']>
  : Record<string, never>;
export type ResponseOf<O extends Operation> = z.input<O['response']>;

export const allNeedsOf = ({
  auth,
  method,
  query,
  needs,
}: Pick<Operation, 'auth' | 'method' | 'query' | 'needs'>): readonly Need[] => [
  ...needs,
  ...('cursor' in query.shape ? (['cursors:sign'] as const) : []),
  ...(auth === 'none' ? [] : (['access:check'] as const)),
  // Every write may carry an Idempotency-Key. Operations that create a record also need IDEMPOTENCY:create.
  ...(auth === 'key' && method !== 'GET' ? (['IDEMPOTENCY:change'] as const) : []),
];

export const rateClassOf = (value: Pick<Operation, 'method'>): 'read' | 'write' =>
  value.method === 'GET' ? 'read' : 'write';

/** By path, with its reads by id, once for the main API and the connector together. docs/behavior.md#rate-limits */
export const countedPathOf = ({ path, surface }: Pick<Operation, 'path' | 'surface'>): string =>
  `${surface === 'connector' ? '/connector' : ''}${path.replace(/\/\{\w+\}$/, '')}`;

export type FunctionNameOf<Path extends string> = Path extends `${infer Before}/{${string}}${infer After}`
  ? FunctionNameOf<`${Before}${After}`>
  : Path extends `/${infer Name}`
    ? Dashed<Name>
    : never;
type Dashed<Name extends string> = Name extends `${infer First}/${infer Rest}`
  ? `${Dashed<First>}-${Dashed<Rest>}`
  : Name extends `${infer First}.${infer Rest}`
    ? `${First}-${Dashed<Rest>}`
    : Name;

/** The Lambda, and its file in `functions/`, of a path: `/openapi.json` is `openapi-json`; `{id}` is left out. */
export const functionNameOf = (path: string): string =>
  path
    .replaceAll(/\/\{\w+\}/g, '')
    .slice(1)
    .replaceAll(/[/.]/g, '-');
