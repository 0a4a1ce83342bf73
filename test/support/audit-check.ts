import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type AttributeValue, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { ProvidedContext } from 'vitest';
import type { Vitest } from 'vitest/node';
import { credentials, region } from '../../infra/local/account.ts';
import { openStreamReader } from '../../infra/local/streams/records.ts';
import { unpackChanges } from '../../shared/domain/audit/changes.ts';
import type { auditedKinds } from '../../shared/webhooks/audit/audited.ts';
import { logCanary, secretsFile, wordsOf } from './log-check.ts';
import { stacksOfRun } from './stacks-of-run.ts';

/**
 * Of everything that a run has written into the table `records`: whether each change has one entry in the audit log, and no
 * entry a secret. What should be there follows from the images of the stream by the lists below, not by the code under test.
 */

type AuditedKind = {
  [Kind in keyof typeof auditedKinds]: 'stateOf' extends keyof (typeof auditedKinds)[Kind] ? Kind : never;
}[keyof typeof auditedKinds];

/** Attributes that nobody outside sees, or that only count, by kind. All others are public. */
const internal: Readonly<Record<AuditedKind, readonly string[]>> = {
  AFFILIATE: ['searchWords', 'groupSince'],
  GROUP: ['slot', 'currency'],
  LINK: ['clicks', 'referrals', 'sales', 'totalRevenueMinor'],
  COUPON: [
    'timesRedeemed',
    'uncappedUses',
    'cappedSince',
    'isCapEdited',
    'isSettled',
    'automaticSince',
    'automaticSlot',
    'payoutBatchId',
    'importName',
  ],
  PROMOTIONAL_CODE: ['timesRedeemed', 'uncappedUses', 'cappedSince', 'isCapEdited', 'isSettled'],
  REFERRAL: ['totalRevenueMinor', 'totalCommissionMinor', 'inStatistics', 'referringHost', 'redemption', 'day'],
  SALE: ['inStatistics', 'referringHost', 'redemption', 'day', 'searchWords', 'contentHash'],
  PAYOUT_BATCH: ['step', 'affiliateIds', 'minimumAmountMinor'],
  PROGRAM: [],
  MEMBER: ['slot'],
  API_KEY: ['slot', 'tokenHash', 'lastFour', 'sealedKey', 'seenBy'],
  WEBHOOK: [
    'slot',
    'seenBy',
    'failingSince',
    'isResponsive',
    'missedSince',
    'missedUntil',
    'deactivatedAt',
    'previousSealedSecret',
    'previousSecretUntil',
  ],
  ASSET: ['slot'],
  EXPORT: ['attempt', 'counts', 'bytes', 'finishedAt', 'expiresAt', 'message', 'ttl'],
};
const internalOf = new Map<string, readonly string[]>(Object.entries(internal));
const internalOfAll = new Set([
  'version',
  'updatedAt',
  'by',
  'req',
  'restoredAt',
  'quietBy',
  'importedBy',
  'importKey',
]);

type Image = Record<string, unknown>;
export interface SeenChange {
  programId: string;
  kind: string;
  recordId: string;
  before: Image | undefined;
  after: Image | undefined;
}

const actionOf = ({ kind, before, after }: SeenChange): string => {
  // The default group, which takes no slot, is there before it is stored by its first edit.
  if (!before) return kind === 'GROUP' && after?.slot === null ? 'UPDATED' : 'CREATED';
  return after ? 'UPDATED' : 'DELETED';
};

/** The public attributes in which two images differ. */
const publicDifferences = ({ kind, before = {}, after = {} }: SeenChange): string[] => {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter(
    (name) =>
      !internalOfAll.has(name) &&
      !/^gsi\dpk$/.test(name) &&
      !internalOf.get(kind)?.includes(name) &&
      !isDeepStrictEqual(before[name] ?? null, after[name] ?? null),
  );
};

const isRestored = ({ before, after }: SeenChange): boolean =>
  after?.restoredAt !== undefined && after.restoredAt !== before?.restoredAt;

/** What a test writes past the code under test, to have what it needs, has no new version; nor has the plan of a program. */
const isEdit = ({ kind, before, after }: SeenChange): boolean =>
  before?.version !== after?.version || (kind === 'PROGRAM' && before?.plan !== after?.plan);

/** Nobody is to be told who was erased. An import makes no events either, and has entries. */
const isErasure = ({ before, after }: SeenChange): boolean =>
  after !== undefined && after.quietBy !== before?.quietBy && !String(after.quietBy).startsWith('import:');

const isExpected = (change: SeenChange): boolean =>
  internalOf.has(change.kind) &&
  !isRestored(change) &&
  !isErasure(change) &&
  isEdit(change) &&
  publicDifferences(change).length > 0;

const keyOf = (programId: string, recordId: unknown, action: unknown): string =>
  `${programId} ${String(recordId).replace(/^0+(?=\d+$)/, '')} ${action}`;

const count = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

/** What is wrong with the entries that follow from some changes, in the order of the stream, a line for each sort. */
export const problemsInAudit = (changes: readonly SeenChange[], secrets: string): string[] => {
  const [expected, found] = [new Map<string, number>(), new Map<string, number>()];
  const [deletedPrograms, records] = [new Set<string>(), new Set<string>()];
  const examples = new Map<string, string>();
  const texts: string[] = [];
  for (const change of changes) {
    const { programId, kind, recordId, before, after } = change;
    if (kind !== 'AUDIT') records.add(keyOf(programId, recordId, ''));
    if (kind === 'PROGRAM' && !after) deletedPrograms.add(programId);
    if (kind === 'AUDIT' && !before && after) {
      count(found, keyOf(programId, after.recordId, after.action));
      texts.push(JSON.stringify(unpackChanges(after.action as never, String(after.changes))));
    }
    if (!isExpected(change)) continue;
    const key = keyOf(programId, recordId, actionOf(change));
    count(expected, key);
    examples.set(key, `${kind} ${publicDifferences(change).join(',')}`);
  }
  const wrong = new Map<string, string>();
  for (const key of new Set([...expected.keys(), ...found.keys()])) {
    const [wanted, there] = [expected.get(key) ?? 0, found.get(key) ?? 0];
    const [programId = ''] = key.split(' ');
    const mayLack = deletedPrograms.has(programId);
    // Some tests write entries of their own, or call the worker with changes of records that are not there.
    if (wanted === 0 && !records.has(key.replace(/\w+$/, ''))) continue;
    if (there === wanted || (mayLack && there < wanted)) continue;
    wrong.set(`${examples.get(key) ?? key} ${wanted} changes and ${there} entries`, key);
  }
  const words = new Set(wordsOf(texts.join('\n')));
  // The canary is also the name of records.
  const leaked = [...new Set(wordsOf(secrets))].filter((word) => words.has(word) && word !== logCanary);
  return [
    ...[...wrong].map(([what, example]) => `The audit log is wrong: ${what}, such as ${example}`),
    ...(leaked.length > 0 ? [`The audit log has ${leaked.length} secrets or parts of some: ${leaked[0]}`] : []),
  ];
};

const partition = /^PROGRAM#([^#]+)#([A-Z_]+)$/;

const seenChange = (dynamodb: { Keys?: unknown; OldImage?: unknown; NewImage?: unknown }): SeenChange | undefined => {
  const imageOf = (image: unknown): Image | undefined =>
    image ? unmarshall(image as Record<string, AttributeValue>) : undefined;
  const { pk, sk } = imageOf(dynamodb.Keys) ?? {};
  const [, programId, kind] = partition.exec(String(pk)) ?? [];
  if (!programId || !kind || !(internalOf.has(kind) || kind === 'AUDIT')) return undefined;
  const [before, after] = [imageOf(dynamodb.OldImage), imageOf(dynamodb.NewImage)];
  // Beside the groups there are moves of deleted ones.
  return (after ?? before)?.kind === undefined ? undefined : { programId, kind, recordId: String(sk), before, after };
};

/** Reads the stream of the table `records` from its beginning, in parts of which each goes on from the one before. */
const streamOf = async ({ stackEnvironment }: Pick<ProvidedContext, 'stackEnvironment'>) => {
  const endpoint = stackEnvironment.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  const settings = { endpoint, region, credentials };
  const TableName = stackEnvironment.RECORDS_TABLE ?? '';
  const { Table } = await new DynamoDBClient(settings).send(new DescribeTableCommand({ TableName }));
  const StreamArn = Table?.LatestStreamArn ?? '';
  const client = new DynamoDBStreamsClient(settings);
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn }));
  const read = openStreamReader(endpoint);
  const iterators = await Promise.all(
    (StreamDescription?.Shards ?? []).map(async ({ ShardId }) => {
      const asked = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' as const };
      return (await client.send(new GetShardIteratorCommand(asked))).ShardIterator;
    }),
  );
  return async (): Promise<SeenChange[]> => {
    const changes: SeenChange[] = [];
    for (const [at, first] of iterators.entries())
      for (let iterator = first; iterator !== undefined; ) {
        const { records, next } = await read({ iterator, limit: 1000, streamArn: StreamArn });
        for (const { dynamodb } of records) {
          const change = dynamodb && seenChange(dynamodb);
          if (change) changes.push(change);
        }
        iterators[at] = next;
        if (records.length === 0) break;
        iterator = next;
      }
    return changes;
  };
};

/** Longer than the stream is behind at the end of a run. */
const maxWaits = 60;

/** What is wrong with the audit logs of the stacks of a run. */
export const auditProblems = async (vitest: Vitest): Promise<string[]> => {
  // The stream of a deployed stack begins before the run.
  if (process.env.DEPLOYED_STACK) return [];
  const problems = stacksOfRun(vitest).map(async ({ name, ...stack }) => {
    const read = await streamOf(stack);
    const file = join(stack.dataFolder, secretsFile);
    const secrets = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const changes = await read();
    let found = problemsInAudit(changes, secrets);
    for (let waits = 0; found.length > 0 && waits < maxWaits; waits++) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const more = await read();
      changes.push(...more);
      if (more.length > 0) found = problemsInAudit(changes, secrets);
      else if (waits > 15) break;
    }
    return found.map((problem) => `${name}: ${problem}`);
  });
  return (await Promise.all(problems)).flat();
};
