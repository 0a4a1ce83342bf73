/** What a restore does not bring back. */
export const notRestored = (asOf: string): string[] => [
  `Changes after ${asOf}.`,
  'If the table traffic was lost too: see docs/operations.md, section "A lost table", and restore it with --traffic if it had point-in-time recovery.',
  'In totals and in the uses of codes without a cap: sales of the last seconds before it that were not counted yet.',
  'Codes that did not appear on links yet, and automatic codes of affiliates created in the last seconds before it.',
  'Users: they are in Cognito. When an owner signs in, the account is found by its email.',
];
