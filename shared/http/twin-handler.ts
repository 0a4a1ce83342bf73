import { ApiError } from '../contract/errors.ts';
import { Page } from '../platform/table/page.ts';

/**
 * A list that answers an array whatever was asked for: of the one record that a selector names, or of none. Platforms
 * take an object for a mistake and a 404 for a failure. Decisions, section 6.
 */
export const answeringArrays =
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
