/**
 * How long a call of an AWS service may take, for every client: five attempts stay below the timeout of each function.
 */
export const requestHandler = {
  connectionTimeout: 1000,
  requestTimeout: 5000,
  // Without it the client only logs that the time is over, and goes on waiting.
  throwOnRequestTimeout: true,
} as const;
