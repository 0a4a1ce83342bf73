import { type FileKind, type FileUse, fileActions, fileKey, fileKinds } from '../../shared/contract/files.ts';
import {
  allProgramsEntry,
  countedKinds,
  type ItemGroup,
  type ItemUse,
  itemActions,
  type Need,
  type QueueName,
  queueNames,
  type RecordIndex,
  type RecordKind,
  recordIndexes,
  recordKinds,
  type SecretName,
  secretNames,
  type TrafficKind,
  trafficIndexes,
  trafficKinds,
} from '../../shared/contract/needs.ts';

type TableName = 'records' | 'traffic';

/** A need of a table, in the words of IAM. */
export interface TableAccess {
  readonly table: TableName;
  /** The index that the actions are limited to; absent for actions on the table itself. */
  readonly index?: RecordIndex;
  readonly actions: readonly string[];
  /** Patterns of the partition keys, of the table or of the index, that the actions are limited to. */
  readonly leadingKeys: readonly string[];
  /** The only attributes that a request may name; any when absent. */
  readonly attributes?: readonly string[];
}

/** A UUID's length of single characters: `*` would also match a value further on that contains `#KIND#`. */
const anyProgramId = '?'.repeat(36);
const anyFileId = anyProgramId;

const itemUses = Object.keys(itemActions) as ItemUse[];

// Transactions have no permissions of their own: each is allowed by what it is made of.
const accessToItems = <Kind extends RecordKind | TrafficKind | 'PROGRAM' | ItemGroup>(
  table: TableName,
  kind: Kind,
  leadingKeys: readonly string[],
): [Need, TableAccess][] =>
  itemUses.map((use) => [`${kind}:${use}`, { table, actions: itemActions[use], leadingKeys }]);

/** Two patterns: `…#LINK*` would open LINK_CODE to who needs LINK. */
const leadingKeysOf = (kind: RecordKind | TrafficKind | 'PROGRAM'): readonly string[] => [
  `PROGRAM#${anyProgramId}#${kind}`,
  `PROGRAM#${anyProgramId}#${kind}#*`,
];

/** The records of a kind, without what is kept beside them. */
const ofKindOnly = (kind: RecordKind): string[] => leadingKeysOf(kind).slice(0, 1);

/** What each need of a table allows. */
const tableAccessByNeed: ReadonlyMap<Need, TableAccess | readonly TableAccess[]> = new Map<
  Need,
  TableAccess | readonly TableAccess[]
>([
  ...(['PROGRAM', ...recordKinds] as const).flatMap((kind) => accessToItems('records', kind, leadingKeysOf(kind))),
  ...trafficKinds.flatMap((kind) => accessToItems('traffic', kind, leadingKeysOf(kind))),
  ...accessToItems('records', 'accounts', ['ACCOUNT#*']),
  ...accessToItems('records', 'handles', ['HANDLE#*']),
  ...accessToItems('traffic', 'visitor-salts', ['VISITOR_SALT#*']),
  ...accessToItems('traffic', 'forms', ['FORMS#*']),
  ...accessToItems('records', 'mail-addresses', ['MAIL_ADDRESS#*']),
  ...accessToItems('traffic', 'mail-counts', ['MAIL_COUNT#*']),
  ...recordKinds.flatMap((kind) =>
    recordIndexes.map((index): [Need, TableAccess] => [
      `${kind}:list:${index}`,
      { table: 'records', index, actions: itemActions.list, leadingKeys: leadingKeysOf(kind) },
    ]),
  ),
  ...trafficKinds.flatMap((kind) =>
    trafficIndexes.map((index): [Need, TableAccess] => [
      `${kind}:list:${index}`,
      { table: 'traffic', index, actions: itemActions.list, leadingKeys: leadingKeysOf(kind) },
    ]),
  ),
  [
    'access:check',
    [
      // The update returns what a token stands for, but changes its counters alone: only access:manage moves a token.
      {
        table: 'traffic',
        actions: ['dynamodb:UpdateItem'],
        leadingKeys: ['TOKEN#*'],
        attributes: ['counts', 'pk', 'sk'],
      },
      { table: 'traffic', actions: ['dynamodb:GetItem'], leadingKeys: ['TOKEN#*'], attributes: ['pk', 'sk'] },
      { table: 'traffic', actions: ['dynamodb:UpdateItem'], leadingKeys: ['SHARED_LIMIT#*', 'UNKNOWN#*'] },
      { table: 'traffic', actions: ['dynamodb:GetItem'], leadingKeys: ['UNKNOWN#*'] },
    ],
  ],
  [
    'records:count',
    [
      { table: 'traffic', actions: ['dynamodb:UpdateItem'], leadingKeys: ['RECORD_ROOM#*'] },
      { table: 'records', actions: itemActions.list, leadingKeys: countedKinds.flatMap(ofKindOnly) },
    ],
  ],
  [
    'records:room',
    [
      { table: 'traffic', actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'], leadingKeys: ['RECORD_ROOM#*'] },
      { table: 'records', actions: itemActions.list, leadingKeys: countedKinds.flatMap(ofKindOnly) },
    ],
  ],
  ['records:recount', { table: 'traffic', actions: ['dynamodb:PutItem'], leadingKeys: ['RECORD_ROOM#*'] }],
  [
    'programs:list',
    {
      table: 'records',
      index: allProgramsEntry.index,
      actions: itemActions.list,
      leadingKeys: [allProgramsEntry.shared],
    },
  ],
  ['health:check', { table: 'records', actions: ['dynamodb:GetItem'], leadingKeys: ['HEALTH'] }],
  [
    'access:read',
    {
      table: 'traffic',
      actions: ['dynamodb:BatchGetItem'],
      leadingKeys: ['TOKEN#*'],
      attributes: ['counts', 'pk', 'sk'],
    },
  ],
  ['access:change', { table: 'traffic', actions: ['dynamodb:UpdateItem'], leadingKeys: ['TOKEN#*'] }],
  [
    'access:manage',
    [
      {
        table: 'traffic',
        actions: ['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
        leadingKeys: ['TOKEN#*'],
      },
      {
        table: 'traffic',
        actions: ['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
        leadingKeys: ['DELETED_LIMIT#*'],
      },
      { table: 'traffic', actions: ['dynamodb:UpdateItem'], leadingKeys: ['SHARED_LIMIT#*'] },
    ],
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

/** A need of the bucket, in the words of IAM. */
export interface FileAccess {
  readonly actions: readonly string[];
  /** A pattern of the keys that the actions are limited to. */
  readonly keys: string;
}

const kindsOfFiles = Object.keys(fileKinds) as FileKind[];
const fileUses = Object.keys(fileActions) as FileUse[];

/** What a list of needs may do with the files of each kind. */
export const fileAccesses = (needs: readonly Need[]): FileAccess[] =>
  kindsOfFiles.flatMap((kind) => {
    const actions = fileUses.filter((use) => needs.includes(`${kind}:${use}`)).flatMap((use) => fileActions[use]);
    return actions.length > 0 ? [{ actions, keys: fileKey(kind, anyProgramId, anyFileId) }] : [];
  });
