import { ApiError } from '../shared/contract/errors.ts';
import { methodOf, pipeline, type RequestState } from '../shared/http/pipeline.ts';
import { errorResponse } from '../shared/http/respond.ts';
import { problemView } from '../shared/web/pages/problem.tsx';
import { webResponse } from '../shared/web/responses.ts';

const isOfApi = (path: string): boolean => path === '/api' || path.startsWith('/api/');

/** Every path that no operation and no page has: below `/api` it is handled as there, elsewhere with a page. */
export const handler = pipeline<RequestState>({
  begin: (request) => request,
  checks: [],
  handle: async ({ rawPath }) => {
    throw new ApiError('path_not_found', isOfApi(rawPath) ? undefined : 'There is nothing at this address.');
  },
  respondToError: (error, event) =>
    isOfApi(event.rawPath)
      ? errorResponse(error, methodOf(event))
      : webResponse(problemView(error), {
          session: undefined,
          program: undefined,
          role: undefined,
          address: event.rawPath,
        }),
});
