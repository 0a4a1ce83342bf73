import type { APIGatewayProxyEventV2, APIGatewayProxyHandlerV2 } from 'aws-lambda';
import { ApiError } from '../shared/contract/errors.ts';
import { errorAnswer } from '../shared/http/answers.ts';
import { webAnswer } from '../shared/web/answers.ts';
import { problemView } from '../shared/web/pages/problem.tsx';

const answerTo = ({ rawPath, requestContext }: APIGatewayProxyEventV2) => {
  if (rawPath === '/api' || rawPath.startsWith('/api/'))
    return errorAnswer(new ApiError('path_not_found'), requestContext.http.method);
  const problem = new ApiError('path_not_found', 'There is nothing at this address.');
  return webAnswer(problemView(problem), { session: undefined, program: undefined, path: rawPath });
};

/** Every path that no operation and no page has: below `/api` it is answered as there, elsewhere with a page. */
export const handler: APIGatewayProxyHandlerV2 = async (event) => {
  const answer = answerTo(event);
  return { ...answer, headers: { ...answer.headers, 'x-request-id': event.requestContext.requestId } };
};
