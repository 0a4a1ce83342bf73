export const maxConnections = 100;

/** Five attempts stay below the timeout of each function. */
export const requestHandler = {
  // From 2 seconds on the client checks again before it gives up, so that a busy processor is no failure.
  connectionTimeout: 3000,
  requestTimeout: 5000,
  // Without it the client only logs the timeout and keeps waiting.
  throwOnRequestTimeout: true,
  httpAgent: { maxSockets: maxConnections },
  httpsAgent: { maxSockets: maxConnections },
} as const;
