import {
  type Need,
  type QueueName,
  queueNames,
  type RecordKind,
  recordKinds,
  type SecretName,
  secretNames,
  type TrafficKind,
  trafficKinds,
} from '../../shared/contract/needs.ts';

type TableName = 'records' | 'traffic';

/** A need of a table, in the words of IAM. */
export interface TableAccess {
  readonly table: TableName;
  readonly actions: readonly string[];
  /** Whether the indexes are open too; only reads go through them. */
  readonly indexes: boolean;
  /** Patterns of the partition keys, of the table and of its indexes, that the actions are limited to. */
  readonly leadingKeys: readonly string[];
}

/** A UUID's length of single characters: `*` would also match a value further on that contains `#KIND#`. */
const anyProgramId = '?'.repeat(36);

// Transactions and batches have no permissions of their own: each is allowed by what it is made of.
const readActions = ['dynamodb:BatchGetItem', 'dynamodb:ConditionCheckItem', 'dynamodb:GetItem', 'dynamodb:Query'];
const writeActions = ['dynamodb:ConditionCheckItem', 'dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'];

const accessToKind = (table: TableName, kind: RecordKind | TrafficKind | 'PROGRAM'): [Need, TableAccess][] => {
  // Two patterns: `…#LINK*` would open LINK_CODE to who needs LINK.
  const leadingKeys = [`PROGRAM#${anyProgramId}#${kind}`, `PROGRAM#${anyProgramId}#${kind}#*`];
  return [
    [`${kind}:read`, { table, actions: readActions, indexes: true, leadingKeys }],
    [`${kind}:write`, { table, actions: writeActions, indexes: false, leadingKeys }],
  ];
};

/** What each need of a table allows. */
const tableAccessByNeed: ReadonlyMap<Need, TableAccess> = new Map<Need, TableAccess>([
  ...(['PROGRAM', ...recordKinds] as const).flatMap((kind) => accessToKind('records', kind)),
  ...trafficKinds.flatMap((kind) => accessToKind('traffic', kind)),
  [
    'accounts:read',
    {
      table: 'records',
      // Who writes a token checks in the same transaction that the account still has the plan that was read.
      actions: ['dynamodb:ConditionCheckItem', 'dynamodb:GetItem', 'dynamodb:Query'],
      indexes: false,
      leadingKeys: ['ACCOUNT#*'],
    },
  ],
  [
    'accounts:write',
    {
      table: 'records',
      actions: ['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
      indexes: false,
      leadingKeys: ['ACCOUNT#*'],
    },
  ],
  [
    'access:check',
    {
      table: 'traffic',
      actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
      indexes: false,
      leadingKeys: ['TOKEN#*', 'UNKNOWN#*'],
    },
  ],
  [
    'access:manage',
    {
      table: 'traffic',
      actions: ['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
      indexes: false,
      leadingKeys: ['TOKEN#*'],
    },
  ],
]);

/** The queue that each need of a queue sends to. */
const queueByNeed: ReadonlyMap<Need, QueueName> = new Map<Need, QueueName>(
  queueNames.map((queue) => [`${queue}:send`, queue]),
);

/** The accesses that a list of needs comes to. */
export const tableAccesses = (needs: readonly Need[]): TableAccess[] =>
  needs.flatMap((need) => tableAccessByNeed.get(need) ?? []);

/** The queues that a list of needs sends to. */
export const queuesSentTo = (needs: readonly Need[]): QueueName[] =>
  needs.flatMap((need) => queueByNeed.get(need) ?? []);

/** The secrets that a list of needs reads. */
export const secretsUsed = (needs: readonly Need[]): SecretName[] =>
  secretNames.filter((name) => needs.includes(`${name}:use`));
