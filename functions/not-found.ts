import type { APIGatewayProxyHandlerV2 } from 'aws-lambda';
import { ApiError } from '../shared/contract/errors.ts';
import { errorAnswer } from '../shared/http/answers.ts';

/** Every path that no operation has. */
export const handler: APIGatewayProxyHandlerV2 = async (event) => {
  const answer = errorAnswer(new ApiError('path_not_found'), event.requestContext.http.method);
  return { ...answer, headers: { ...answer.headers, 'x-request-id': event.requestContext.requestId } };
};
