export const deliveryMetricNames = {
  delivered: 'WebhooksDelivered',
  failed: 'WebhookAttemptsFailed',
  /** Milliseconds from a change to its first attempt, for endpoints that do not fail. */
  lag: 'WebhookFirstAttemptLag',
  deactivated: 'WebhookEndpointsDeactivated',
} as const;
