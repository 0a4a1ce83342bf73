import type { APIGatewayProxyEventV2, APIGatewayProxyHandlerV2 } from 'aws-lambda';
import { ApiError } from '../shared/contract/errors.ts';
import { errorResponse } from '../shared/http/responses.ts';
import { problemView } from '../shared/web/pages/problem.tsx';
import { webResponse } from '../shared/web/responses.ts';

const respondTo = ({ rawPath, requestContext }: APIGatewayProxyEventV2) => {
  if (rawPath === '/api' || rawPath.startsWith('/api/'))
    return errorResponse(new ApiError('path_not_found'), requestContext.http.method);
  const problem = new ApiError('path_not_found', 'There is nothing at this address.');
  return webResponse(problemView(problem), { session: undefined, program: undefined, path: rawPath });
};

/** Every path that no operation and no page has: below `/api` it is handled as there, elsewhere with a page. */
export const handler: APIGatewayProxyHandlerV2 = async (event) => {
  const response = respondTo(event);
  return { ...response, headers: { ...response.headers, 'x-request-id': event.requestContext.requestId } };
};
