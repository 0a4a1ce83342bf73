import { apiBasePath } from '../contract/base-paths.ts';
import { connectorVariant } from '../contract/connector.ts';
import { ApiError } from '../contract/errors.ts';
import { countedPathOf } from '../contract/operation.ts';
import { Page, type PageRequest } from '../platform/table/page.ts';
import { CsvPage, RecordWithPage } from '../platform/table/paged-responses.ts';
import type { CursorScope } from './cursor.ts';
import type { RequestProgram, ServedOperation } from './handlers.ts';
import type { HttpEvent, RequestState } from './pipeline.ts';
import type { ErrorForm } from './respond.ts';
import { routePathOf } from './route.ts';

/** Platforms take an object for an error and a 404 for a failure. docs/behavior.md#connector-records */
const respondWithArrays =
  <Request>(handle: (request: Request) => unknown) =>
  async (request: Request): Promise<Page<unknown> | CsvPage> => {
    try {
      const result = await handle(request);
      if (result instanceof Page || result instanceof CsvPage) return result;
      const { record, next } = result instanceof RecordWithPage ? result : { record: result, next: undefined };
      return new Page([{ item: record, position: '' }], next);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') return new Page([], undefined);
      throw error;
    }
  };

interface ApiRoute {
  basePath: string;
  operations: readonly ServedOperation[];
  /** See docs/behavior.md#rate-limits */
  countedPath: string;
  errorForm: ErrorForm;
}

/** What a handler is given of the request itself. */
interface ApiInput {
  parameters: unknown;
  query: Record<string, unknown>;
  body: unknown;
  page: PageRequest;
  scope: CursorScope;
  expectedVersions: readonly number[] | undefined;
  wantsCsv: boolean;
}

export interface ApiState extends RequestState {
  route: ApiRoute;
  served?: ServedOperation;
  isForm?: boolean;
  program?: RequestProgram;
  keyId?: string;
  input?: ApiInput;
}

export type ApiEvent = HttpEvent<ApiState>;

const variantOf = ({ declared, handle }: ServedOperation): ServedOperation[] => {
  const variant = connectorVariant(declared);
  return variant ? [{ declared: variant, handle: variant.lists ? respondWithArrays(handle) : handle }] : [];
};

/** Finds what a path has on the main API or on the connector. */
export const routeFinder = (served: readonly ServedOperation[]): ((event: { routeKey: string }) => ApiRoute) => {
  const onConnector = served.flatMap((one) => (one.declared.surface === 'connector' ? [one] : variantOf(one)));
  // All paths of a function are counted as one.
  const [countedPath = ''] = served.map(({ declared }) => countedPathOf(declared));
  return (event) => {
    const [, basePath = apiBasePath, path = ''] = /^(\/api\/[^/]+)(\/.*)$/.exec(routePathOf(event)) ?? [];
    const isMain = basePath === apiBasePath;
    const operations = (isMain ? served : onConnector).filter(({ declared }) => declared.path === path);
    const errorFields = Object.assign({}, ...operations.map(({ declared }) => declared.errorFields));
    const errorForm: ErrorForm = isMain ? {} : { surface: 'connector', errorFields };
    return { basePath, operations, countedPath, errorForm };
  };
};

export const isOnConnector = ({ state }: ApiEvent): boolean => state.route.errorForm.surface === 'connector';
