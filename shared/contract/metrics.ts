/** What is measured of the delivery of webhooks, by the names that alarms and dashboards know. */
export const deliveryMetricNames = {
  /** Attempts that the receiver answered with a 2xx. */
  delivered: 'WebhooksDelivered',
  /** Attempts that failed at the receiver, each of them. */
  failed: 'WebhookAttemptsFailed',
  /** Milliseconds from a change to the start of the first attempt to tell of it, to endpoints that do not fail. */
  lag: 'WebhookFirstAttemptLag',
  /** Endpoints that were switched off. */
  deactivated: 'WebhookEndpointsDeactivated',
} as const;
