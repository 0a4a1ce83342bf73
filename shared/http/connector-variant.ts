import { ApiError } from '../contract/errors.ts';
import { Page } from '../platform/table/page.ts';

/** Platforms take an object for an error and a 404 for a failure. docs/behavior.md#connector-records */
export const respondWithArrays =
  <Request>(handle: (request: Request) => unknown) =>
  async (request: Request): Promise<Page<unknown>> => {
    try {
      const result = await handle(request);
      return result instanceof Page ? result : new Page([{ item: result, position: '' }], undefined);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') return new Page([], undefined);
      throw error;
    }
  };
