/** What no restore brings back, for whoever has run one. */
export const notRestored = (asOf: string): string[] => [
  `Every change after ${asOf}.`,
  'Where the traffic table was lost too: the events and deliveries of the last 30 days, webhooks that waited for a retry, and what was kept for an Idempotency-Key, so that a repeated request is carried out again.',
  'In totals, and in the uses of codes without a cap: sales of the last seconds before it that were not counted yet.',
  'Codes that were about to appear on links, and automatic codes of affiliates created in the last seconds before it.',
  'People who sign in: they are in Cognito. An account of this table is found by its email when its owner signs in.',
];
