import type { BodyOf, Operation, ParametersOf, QueryOf, ResponseOf } from '../contract/operation.ts';
import type { IdempotencyContext } from '../platform/table/idempotency-context.ts';
import type { Page, PageRequest } from '../platform/table/page.ts';
import type { CsvPage, RecordWithPage } from '../platform/table/paged-responses.ts';
import type { CacheableDocument } from './cacheable-document.ts';
import type { Served } from './route.ts';

export interface RequestProgram {
  id: string;
  currency: string;
  commissionRate: number;
  timeZone: string;
  reviewsSales: boolean;
}

/** Program and key come from authentication, never from the request. */
interface ApiRequest<O extends Operation> {
  program: RequestProgram;
  keyId: string;
  parameters: ParametersOf<O>;
  query: QueryOf<O>;
  body: BodyOf<O>;
  page: PageRequest;
  /** From If-Match; any if undefined. */
  expectedVersions: readonly number[] | undefined;
  wantsCsv: boolean;
  /** Ties a new record to this request's Idempotency-Key. */
  idempotency: IdempotencyContext;
  basePath: string;
  now: Date;
}

type ResponseBody<O extends Operation> =
  | ResponseOf<O>
  | (O extends { lists: true } ? Page<ResponseOf<O>> : never)
  // A read with a cursor returns the record's parts in pages.
  | ('cursor' extends keyof O['query']['shape'] ? RecordWithPage<ResponseOf<O>> : never)
  | (O extends { csv: true } ? CsvPage : never)
  | (O extends { cacheable: true } ? CacheableDocument : never);
type Handler<O extends Operation> = (request: ApiRequest<O>) => Promise<ResponseBody<O>> | ResponseBody<O>;

type UntypedRequest = Omit<ApiRequest<Operation>, 'parameters' | 'query' | 'body'> & {
  parameters: unknown;
  query: unknown;
  body: unknown;
};

/** One handler per operation, by its id, with the types of that operation. */
export type HandlersOf<Operations extends readonly Operation[]> = {
  readonly [Id in Operations[number]['id']]: Handler<Extract<Operations[number], { id: Id }>>;
};

export type ServedOperation = Served<Operation, (request: UntypedRequest) => unknown>;
