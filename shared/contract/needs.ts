/**
 * The kinds of records in the records table. The partition key of a record begins with `PROGRAM#<id>#<kind>`, which is
 * also what a Lambda's IAM policy is limited to.
 */
export const recordKinds = [
  'AFFILIATE',
  'LINK',
  'LINK_CODE',
  'COUPON',
  'PROMOTIONAL_CODE',
  'REFERRAL',
  'SALE',
  'ADJUSTMENT',
  'PAYOUT_BATCH',
  'PAYOUT',
  'WEBHOOK',
  'API_KEY',
  // The last state of a deleted coupon or affiliate, for the events of its cascade. It expires.
  'TOMBSTONE',
] as const;
export type RecordKind = (typeof recordKinds)[number];

/** The kinds of items in the traffic table: what passes through and expires. */
export const trafficKinds = ['EVENT', 'DELIVERY', 'IDEMPOTENCY', 'COUNTED', 'IN_FLIGHT'] as const;
export type TrafficKind = (typeof trafficKinds)[number];

/** The queues between workers. */
export const queueNames = [
  'deliveries',
  'redeliveries',
  'code-connections',
  'deletions',
  'payout-batches',
  'automatic-codes',
] as const;
export type QueueName = (typeof queueNames)[number];

/**
 * The secrets that functions encrypt with: the secrets of webhook endpoints, the copies of keys that the web application
 * shows, and its cookies.
 */
export const secretNames = ['webhook-secrets', 'key-copies', 'sessions'] as const;
export type SecretName = (typeof secretNames)[number];

/**
 * One thing that a Lambda may do. `PROGRAM` is the program's own item; `access:check` is the conditional update that
 * authenticates a request, and `access:manage` writes what it reads. `accounts` are the people who sign in, and the
 * programs that they own; `web:serve` tells the application's address, `sign-in:use` the identity provider, and
 * `platforms:check` who may connect. `metrics:publish` tells what a function's own metrics are filed under.
 */
export type Need =
  | `${RecordKind | TrafficKind | 'PROGRAM'}:${'read' | 'write'}`
  | `access:${'check' | 'manage'}`
  | `accounts:${'read' | 'write'}`
  | 'web:serve'
  | 'sign-in:use'
  | 'platforms:check'
  | 'metrics:publish'
  | `${SecretName}:use`
  | `${QueueName}:send`;

/** The environment variable that holds a queue's URL: `deliveries` is `DELIVERIES_QUEUE_URL`. */
export const queueUrlVariable = (queue: QueueName): string => `${queue.toUpperCase().replaceAll('-', '_')}_QUEUE_URL`;

/** The environment variable that holds a secret's ARN: `key-copies` is `KEY_COPIES_SECRET_ARN`. */
export const secretVariable = (secret: SecretName): string => `${secret.toUpperCase().replaceAll('-', '_')}_SECRET_ARN`;
