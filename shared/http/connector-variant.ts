import { ApiError } from '../contract/errors.ts';
import { Page } from '../platform/table/page.ts';
import { CsvPage, RecordWithPage } from '../platform/table/paged-responses.ts';

/** Platforms take an object for an error and a 404 for a failure. docs/behavior.md#connector-records */
export const respondWithArrays =
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
