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
export const trafficKinds = ['EVENT', 'DELIVERY', 'IDEMPOTENCY', 'COUNTED'] as const;
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

/** The secrets that encrypt: of webhook endpoints, of the copies of keys that the dashboard shows, and of sessions. */
export const secretNames = ['webhook-secrets', 'key-copies', 'sessions'] as const;
export type SecretName = (typeof secretNames)[number];

/**
 * One thing that a Lambda may do. `PROGRAM` is the program's own item; `access:check` is the conditional update that
 * authenticates a request, and `access:manage` writes what it reads.
 */
export type Need =
  | `${RecordKind | TrafficKind | 'PROGRAM'}:${'read' | 'write'}`
  | `access:${'check' | 'manage'}`
  | `${QueueName}:send`
  | `${SecretName}:use`;

/** The environment variable that holds a queue's URL: `deliveries` is `DELIVERIES_QUEUE_URL`. */
export const queueUrlVariable = (queue: QueueName): string => `${queue.toUpperCase().replaceAll('-', '_')}_QUEUE_URL`;

/** The environment variable that holds a secret's ARN: `key-copies` is `KEY_COPIES_SECRET_ARN`. */
export const secretArnVariable = (name: SecretName): string => `${name.toUpperCase().replaceAll('-', '_')}_SECRET_ARN`;
