import { ApiError } from '../contract/errors.ts';
import type { Operation } from '../contract/operation.ts';
import { prefersCsv } from './accept.ts';
import type { ApiEvent } from './api-request.ts';
import { type CursorScope, decodeCursor } from './cursor.ts';
import { parseBody, parseQuery } from './parsing.ts';

const etagList = /^\s*(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*\s*$/;

/** Undefined accepts any version; an empty list none. docs/behavior.md#etags */
const expectedVersionsOf = (ifMatch: string | undefined): readonly number[] | undefined => {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  if (!etagList.test(ifMatch)) return [];
  // A weak ETag never matches.
  return [...ifMatch.matchAll(/(?<!W\/)"([^"]*)"(?=\s*(?:,|$))/g)].flatMap(([, tag = '']) =>
    /^\d{1,15}$/.test(tag) ? Number(tag) : [],
  );
};

const textOrUndefined = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const parametersOf = (
  { parameters }: Operation,
  given: Record<string, string | undefined> = {},
): Record<string, unknown> => {
  if (!parameters) return {};
  const result = parameters.safeParse(given);
  if (!result.success) throw new ApiError('not_found', result.error.issues[0]?.message);
  return result.data;
};

const queryAndBodyOf = (operation: Operation, event: ApiEvent): { query: Record<string, unknown>; body: unknown } => {
  const { surface, query: schema, body: bodySchema, ids = [] } = operation;
  const manner = surface === 'connector' ? 'lenient' : 'strict';
  const query: Record<string, unknown> = parseQuery(schema, event.rawQueryString, manner);
  const given = ids.filter((name) => query[name] !== undefined);
  const named = Object.fromEntries(given.map((name) => [name, query[name]]));
  return { query, body: bodySchema ? parseBody(bodySchema, event.body, { manner, named }) : {} };
};

const feedPositionOf = (scope: CursorScope, after: string): string =>
  after === 'start' || after === 'now' ? after : decodeCursor(scope, after);

/** Validates parameters, query, body and cursor by the operation's schemas. */
export const readInput = (event: ApiEvent): void => {
  const { served, program } = event.state;
  if (!served) return;
  const operation = served.declared;
  const parameters = parametersOf(operation, event.pathParameters);
  const { query, body } = queryAndBodyOf(operation, event);
  const { limit, cursor, after, ...filters } = query;
  const scope: CursorScope = {
    programId: program?.id ?? '',
    operationId: operation.id,
    filters: { ...filters, ...parameters },
    parameter: after === undefined ? 'cursor' : 'after',
  };
  event.state.input = {
    parameters,
    query,
    body,
    scope,
    page: {
      limit: typeof limit === 'number' ? limit : 0,
      after: typeof cursor === 'string' ? decodeCursor(scope, cursor) : undefined,
      feedAfter: typeof after === 'string' ? feedPositionOf(scope, after) : undefined,
      createdAfter: textOrUndefined(query.createdAfter),
      createdBefore: textOrUndefined(query.createdBefore),
      updatedAfter: textOrUndefined(query.updatedAfter),
    },
    expectedVersions: expectedVersionsOf(event.headers['if-match']),
    wantsCsv: operation.csv === true && prefersCsv(event.headers.accept),
  };
};
