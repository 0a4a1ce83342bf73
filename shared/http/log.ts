import type { APIGatewayEventRequestContextV2 } from 'aws-lambda';

/**
 * One JSON line about a failure of ours. An allow-list: ids, method, path and the error's own words; never a header, a
 * query or a body.
 */
export const logFailure = (error: Error, request: APIGatewayEventRequestContextV2): void => {
  const cause = error.cause instanceof Error ? error.cause : error;
  console.error(
    JSON.stringify({
      level: 'ERROR',
      message: 'request failed',
      requestId: request.requestId,
      method: request.http.method,
      path: request.http.path,
      errorName: cause.name,
      errorMessage: cause.message,
      stack: cause.stack,
    }),
  );
};
