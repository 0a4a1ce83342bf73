import type { AnswerOf, BodyOf, FunctionNameOf, Operation, ParametersOf, QueryOf } from '../contract/operation.ts';
import type { Page, PageRequest } from '../platform/table/page.ts';
import type { CsvPage, RecordWithPage } from '../platform/table/paged-answers.ts';
import type { Repetition } from '../platform/table/repetition.ts';
import type { CacheableDocument } from './cacheable-document.ts';

/** The program that the token belongs to, as far as authentication knows it. */
export interface RequestProgram {
  id: string;
  currency: string;
  commissionRate: number;
}

/** What a handler is given. Program and key come from authentication, never from the request. */
interface ApiRequest<O extends Operation> {
  program: RequestProgram;
  keyId: string;
  parameters: ParametersOf<O>;
  query: QueryOf<O>;
  body: BodyOf<O>;
  /** The page that a list operation is asked for. */
  page: PageRequest;
  /** The edits that If-Match accepts; any when undefined. */
  expectedVersions: readonly number[] | undefined;
  /** Whether the caller asks for CSV where the operation has it. */
  wantsCsv: boolean;
  /** What ties a new record to this request, where it has an Idempotency-Key. */
  repetition: Repetition;
  /** Where the surface that was called begins: `/api/v1`, or the connector's. */
  basePath: string;
  now: Date;
}

type Answer<O extends Operation> =
  | AnswerOf<O>
  | (O extends { lists: true } ? Page<AnswerOf<O>> | RecordWithPage<AnswerOf<O>> : never)
  | (O extends { csv: true } ? CsvPage : never)
  | (O extends { cacheable: true } ? CacheableDocument : never);
type Handler<O extends Operation> = (request: ApiRequest<O>) => Promise<Answer<O>> | Answer<O>;

type UntypedRequest = Omit<ApiRequest<Operation>, 'parameters' | 'query' | 'body'> & {
  parameters: unknown;
  query: unknown;
  body: unknown;
};

/** One handler for each operation, by its id; each has the types of its own operation. */
export type HandlersOf<Operations extends readonly Operation[]> = {
  readonly [Id in Operations[number]['id']]: Handler<Extract<Operations[number], { id: Id }>>;
};

type IsUnion<Type, Each = Type> = Type extends unknown ? ([Each] extends [Type] ? false : true) : never;
/** Nothing to satisfy where all operations belong to one Lambda, and otherwise impossible to satisfy. */
export type ServedByOneFunction<Operations extends readonly Operation[]> =
  true extends IsUnion<FunctionNameOf<Operations[number]['path']>>
    ? { readonly error: 'These operations belong to more than one Lambda' }
    : unknown;

/** An operation with the code that serves it. */
export interface Served {
  operation: Operation;
  handle: (request: UntypedRequest) => unknown;
}

/** Joins operations with their handlers. */
export const serve = (operations: readonly Operation[], handlers: object): Served[] => {
  // The types hold one handler for each operation, and a request is parsed by the operation's own schemas before it is called.
  const byId = new Map<string, Served['handle']>(Object.entries(handlers));
  return operations.map((operation) => {
    const handle = byId.get(operation.id);
    if (!handle) throw new Error(`${operation.id} has no handler`);
    return { operation, handle };
  });
};
