import type { FileKind, FileUse } from './files.ts';

/** Partition keys begin with `PROGRAM#<id>#<kind>`, which IAM policies are limited to. */
export const recordKinds = [
  'GROUP',
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
  'MEMBER',
  // What came by a link, to an affiliate and from a site on a day: counters, which no list shows.
  'STATISTIC',
  // Texts and images that affiliates use. Images have a file too.
  'ASSET',
  // Imports of files, with what became of each row. They expire.
  'IMPORT',
  // Exports of the whole program. They expire.
  'EXPORT',
  // What was changed, by whom. It expires.
  'AUDIT',
  // The erasure of a person, with the ids of what is theirs until it has ended.
  'ERASURE',
  // The last state of a deleted coupon or affiliate, for the events of its cascade. It expires.
  'TOMBSTONE',
] as const;
export type RecordKind = (typeof recordKinds)[number];

/** What follows from a record that is counted, has a bound of its own, or expires. */
const uncountedKinds: readonly RecordKind[] = [
  'GROUP',
  'LINK_CODE',
  'PAYOUT',
  'WEBHOOK',
  'API_KEY',
  'MEMBER',
  'STATISTIC',
  'ASSET',
  'IMPORT',
  'EXPORT',
  'AUDIT',
  'ERASURE',
  'TOMBSTONE',
];
/** The kinds that count against the records that a program may have: a new kind does at once. docs/behavior.md#records-on-the-free-plan */
export const countedKinds: readonly RecordKind[] = recordKinds.filter((kind) => !uncountedKinds.includes(kind));

export const trafficKinds = [
  'EVENT',
  'FEED',
  'DELIVERY',
  'IDEMPOTENCY',
  'COUNTED',
  'UNCOUNTED',
  'IN_FLIGHT',
  // That a visitor followed a link within an hour. It expires.
  'VISIT',
  // A session of an affiliate in the portal, named by the link that began it. It expires.
  'PORTAL_SESSION',
  // A mail that was sent or is being sent, and how many a program sent on a day. It expires.
  'MAIL',
] as const;
export type TrafficKind = (typeof trafficKinds)[number];

export const queueNames = [
  'deliveries',
  'redeliveries',
  'code-connections',
  'deletions',
  'payout-batches',
  'automatic-codes',
  'clicks',
  'imports',
  'exports',
  'erasures',
  'mails',
  'mail-feedback',
  'first-sales',
  'portal-requests',
] as const;
export type QueueName = (typeof queueNames)[number];

export const secretNames = ['webhook-secrets', 'key-copies', 'sessions', 'click-ids', 'mail-links'] as const;
export type SecretName = (typeof secretNames)[number];

export const recordIndexes = ['GSI1', 'GSI2', 'GSI3', 'GSI4', 'GSI5', 'GSI6', 'GSI7'] as const;
export type RecordIndex = (typeof recordIndexes)[number];
export const trafficIndexes = ['GSI1', 'GSI2', 'GSI3', 'GSI4'] as const;
type TrafficIndex = (typeof trafficIndexes)[number];

export const itemActions = {
  read: ['dynamodb:BatchGetItem', 'dynamodb:GetItem'],
  list: ['dynamodb:Query'],
  create: ['dynamodb:PutItem'],
  change: ['dynamodb:UpdateItem'],
  delete: ['dynamodb:DeleteItem'],
  check: ['dynamodb:ConditionCheckItem'],
} as const;
export type ItemUse = keyof typeof itemActions;

/** Items that belong to no program. */
export type ItemGroup = 'accounts' | 'handles' | 'mail-addresses' | 'visitor-salts' | 'forms' | 'mail-counts';

/**
 * One thing that a Lambda may do. Its IAM policy and its environment are generated from the list of its needs, so list
 * exactly what the code calls:
 *
 * - `SALE:read` is GetItem and BatchGetItem, `SALE:create` PutItem, `SALE:change` UpdateItem, `SALE:delete` DeleteItem and
 *   `SALE:check` ConditionCheckItem, alone or in a transaction. Unique values and counters that are stored under a kind
 *   belong to it. `PROGRAM` is the program's own item.
 * - `SALE:list` is a Query of the table, `SALE:list:GSI2` a Query of that index and no other. A list by an index also
 *   reads the records that it finds: `SALE:read`.
 * - `mail-addresses:…` are the addresses that get no mail, or not all kinds, `mail-counts:…` how many an address got in an hour.
 * - `accounts:…` are the people who sign in and the programs that they own, `handles:…` the public names of programs,
 *   `programs:list` all programs, `visitor-salts:…` what visitors of a day are hashed with, `forms:…` counters of forms.
 * - `access:check` is the conditional update that authenticates a request, `access:change` changes what it
 *   reads, `access:manage` creates and deletes keys, and `access:read` reads when keys were last used.
 * - `records:count` takes room for new records in a program on the FREE plan, `records:recount` has them counted again,
 *   `records:room` tells whether there is room.
 * - `health:check` reads an item that does not exist, and gives the stage.
 * - `deliveries:send` sends to a queue, `sessions:use` reads a secret.
 * - `import-files:write` puts files of that kind and makes the forms that upload them, `import-files:read` reads them and makes
 *   links that download them, `import-files:delete` deletes them.
 * - The others give settings: `web:serve` the application's address, `sign-in:use` the identity provider,
 *   `platforms:check` who may connect, `cursors:sign` the key of cursors, `api-url:use` the
 *   API's address alone, `app-url:use` the application's, `metrics:publish` what own metrics are filed under, `webhooks:address` where
 *   webhooks may go, and `webhooks:deliver` when attempts are retried. `ses:use` sends mails by SES, `mail-from:use` tells
 *   whether the stage sends any.
 */
export type Need =
  | `${RecordKind | TrafficKind | 'PROGRAM' | ItemGroup}:${ItemUse}`
  | `${RecordKind}:list:${RecordIndex}`
  | `${TrafficKind}:list:${TrafficIndex}`
  | `access:${'check' | 'change' | 'manage' | 'read'}`
  | `records:${'count' | 'recount' | 'room'}`
  | 'programs:list'
  | 'health:check'
  | 'web:serve'
  | 'sign-in:use'
  | 'platforms:check'
  | 'cursors:sign'
  | 'api-url:use'
  | 'app-url:use'
  | 'metrics:publish'
  | `webhooks:${'address' | 'deliver'}`
  | 'ses:use'
  | 'mail-from:use'
  | `${SecretName}:use`
  | `${FileKind}:${FileUse}`
  | `${QueueName}:send`;

/** The only partition that programs share. docs/data-model.md */
export const allProgramsEntry = { index: 'GSI1', parts: [], shared: 'PROGRAMS' } as const;

/** What an event needs to be stored, with its place in the feed. */
export const storesEvents = [
  'EVENT:create',
  'FEED:list',
  'FEED:create',
  'FEED:change',
] as const satisfies readonly Need[];

export const queueUrlVariable = (queue: string): string => `${queue.toUpperCase().replaceAll('-', '_')}_QUEUE_URL`;

export const secretVariable = (secret: SecretName): string => `${secret.toUpperCase().replaceAll('-', '_')}_SECRET_ARN`;
