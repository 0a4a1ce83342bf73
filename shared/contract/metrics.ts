export const deliveryMetricNames = {
  delivered: 'WebhooksDelivered',
  failed: 'WebhookAttemptsFailed',
  /** Milliseconds from a change to its first attempt, for endpoints that do not fail. */
  lag: 'WebhookFirstAttemptLag',
  deactivated: 'WebhookEndpointsDeactivated',
} as const;

/** What the functions' own metrics are filed under in CloudWatch. */
export const metricsNamespace = 'AffiliateProgram';

/** Responses with 5xx of one version of one function, by which a gradual deployment is judged. */
export const serverErrorsMetric = {
  name: 'ServerErrors',
  functionDimension: 'function',
  versionDimension: 'version',
} as const;
