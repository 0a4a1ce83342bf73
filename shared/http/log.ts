import type { APIGatewayEventRequestContextV2 } from 'aws-lambda';

/** An allow-list of fields: never a header, a query or a body. */
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
