import type * as z from 'zod';
import type { ErrorCode } from './errors.ts';
import type { Need } from './needs.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * One operation of the API. The route, the Lambda behind it, its environment and permissions, parsing, types, the
 * OpenAPI document, the rate-limit class and the security tests are all read from this value and from nowhere else.
 */
export interface Operation {
  /** Unique, in the form of a verb and a noun: `createCoupon`. */
  readonly id: string;
  /** The main API unless said. The connector is what automation platforms call, and is lenient. Decisions, section 6. */
  readonly surface?: 'connector';
  readonly method: Method;
  /** Below `/api/v1`, or `/api/<platform>` on the connector. The main API takes ids in the query or the body instead. */
  readonly path: `/${string}`;
  /** `key`: a bearer token of a program. `code`: the `code` of the body, which is one. `none`: open to everybody. */
  readonly auth: 'key' | 'code' | 'none';
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** The varying segments of the path. What they cannot be is a 404 with the message of the schema. */
  readonly parameters?: z.ZodObject;
  readonly query: z.ZodObject;
  /** Absent: the operation takes no body. */
  readonly body?: z.ZodObject;
  /** The success body, status 200. */
  readonly answer: z.ZodType;
  /** True where a read without a selector answers an array of `answer`, newest first, in pages. */
  readonly lists?: boolean;
  /** Where the connector has it too: the fields of the body that may come in the query there. */
  readonly connector?: { readonly selectors: readonly string[] };
  /** What the bodies of all errors on its path hold beside `error`. */
  readonly errorFields?: Readonly<Record<string, string>>;
  /** True where `Accept: text/csv` answers a record's parts as CSV. */
  readonly csv?: boolean;
  /** True where the answer is a document that is the same for everybody, which caches may keep. */
  readonly cacheable?: boolean;
  /** True where the answer is a page for people, and no JSON. */
  readonly html?: boolean;
  /** Beyond those that every operation can answer with. */
  readonly errors: readonly ErrorCode[];
  /** What its Lambda may touch, and so its IAM policy and environment. */
  readonly needs: readonly Need[];
  readonly example: { query?: Record<string, string>; body?: Record<string, unknown> };
}

/** Declares an operation and keeps its precise types. */
export const operation = <const O extends Operation>(value: O): O => value;

/** What a handler is given as `query`. */
export type QueryOf<O extends Operation> = z.output<O['query']>;
/** What a handler is given as `body`; an empty object where the operation takes none. */
export type BodyOf<O extends Operation> = O['body'] extends z.ZodObject ? z.output<O['body']> : Record<string, never>;
/** What a handler is given as `parameters`. */
export type ParametersOf<O extends Operation> = O['parameters'] extends z.ZodObject
  ? z.output<O['parameters']>
  : Record<string, never>;
/** What a handler returns, before the answer's schema has passed it. */
export type AnswerOf<O extends Operation> = z.input<O['answer']>;

/** Everything that the Lambda of an operation may do: what it needs itself, and what the stack around it needs. */
export const allNeedsOf = ({
  auth,
  method,
  query,
  needs,
}: Pick<Operation, 'auth' | 'method' | 'query' | 'needs'>): readonly Need[] => [
  ...needs,
  ...('cursor' in query.shape ? (['cursors:sign'] as const) : []),
  ...(auth === 'none' ? [] : (['access:check'] as const)),
  // Every write may come with an Idempotency-Key. What it creates is noted beside it by those that need IDEMPOTENCY:create.
  ...(auth === 'key' && method !== 'GET' ? (['IDEMPOTENCY:change'] as const) : []),
];

/** `read` or `write`: which of the two rate limits counts a call. Decisions 1.12. */
export const rateClassOf = (value: Pick<Operation, 'method'>): 'read' | 'write' =>
  value.method === 'GET' ? 'read' : 'write';

/**
 * The path that requests are counted by: an operation has one on the main API and the connector together. `surface` is
 * the one that declares the operation.
 */
export const countedPathOf = ({ path, surface }: Pick<Operation, 'path' | 'surface'>): string =>
  surface === 'connector' ? `/connector${path}` : path;

/** As `functionNameOf`, at compile time. */
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

/**
 * The name of the Lambda, and of its file in `functions/`, that serves a path: `/openapi.json` is `openapi-json`. What
 * varies in a path has no part in it.
 */
export const functionNameOf = (path: string): string =>
  path
    .replaceAll(/\/\{\w+\}/g, '')
    .slice(1)
    .replaceAll(/[/.]/g, '-');
