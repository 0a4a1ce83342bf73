/**
 * How long a call of an AWS service may take, for every client: five attempts stay below the timeout of each function.
 */
export const requestHandler = {
  // From 2 seconds on the client looks again before it gives up: a busy processor alone is no reason.
  connectionTimeout: 3000,
  requestTimeout: 5000,
  // Without it the client only logs that the time is over, and goes on waiting.
  throwOnRequestTimeout: true,
} as const;
