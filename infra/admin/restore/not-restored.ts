/** What a restore does not bring back. */
export const notRestored = (asOf: string): string[] => [
  `Changes after ${asOf}.`,
  'If the traffic table was lost too: events and deliveries of the last 30 days, pending retries of webhooks, and responses for an Idempotency-Key, so that a repeated request is executed again.',
  'In totals and in the uses of codes without a cap: sales of the last seconds before it that were not counted yet.',
  'Codes that did not appear on links yet, and automatic codes of affiliates created in the last seconds before it.',
  'Users: they are in Cognito. When an owner signs in, the account is found by its email.',
];
