import type { FileKind } from '../../contract/files.ts';
import type { RecordKind } from '../../contract/needs.ts';
import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import type { ProgramFile } from '../../platform/objects/files.ts';
import { deleteItem, queryItems } from '../../platform/table/items.ts';
import { type PartitionKey, partition } from '../../platform/table/partition.ts';
import { links } from '../affiliates/link-repository.ts';
import { affiliates } from '../affiliates/repository.ts';
import { auditEntries } from '../audit/audit-log.ts';
import { coupons } from '../coupons/repository.ts';
import { exports } from '../exports/export-record.ts';
import { groups } from '../groups/repository.ts';
import { imports } from '../imports/import-record.ts';
import { payoutBatches } from '../payouts/repository.ts';
import { erasures } from '../privacy/erasure-record.ts';
import { members } from '../programs/members.ts';
import { apiKeys, updateTokens } from '../programs/repository.ts';
import { promotionalCodes } from '../promotional-codes/repository.ts';
import { referrals } from '../referrals/repository.ts';
import { adjustments } from '../sales/adjustments.ts';
import { sales } from '../sales/repository.ts';
import { statisticNames } from '../statistics/day-sums.ts';
import type { Step } from './step.ts';

/** Deletes all items of a deleted program, webhooks first, without reading them. docs/behavior.md#deleting-a-program */

interface PurgedStore<Kind extends RecordKind> {
  kind: Kind;
  uniqueNames: readonly string[];
}
/** Passed in by the function that has the permission. */
type DeleteFile = (file: ProgramFile) => Promise<void>;

/** Webhooks lie above the domain, so their store is passed in. */
export type WebhookStore = PurgedStore<'WEBHOOK'>;

/** What lies under a kind of record. Its unique values are derived from its store. */
interface Belongings<Kind extends RecordKind = RecordKind> {
  store: PurgedStore<Kind>;
  values?: readonly string[];
  ofRecord?: (id: string) => readonly [kind: RecordKind, ...rest: string[]];
  /** Each record may have a file with its id. */
  files?: FileKind;
}

/** In the order of deletion; `NAME` is what affiliates were searched by before the search by words. A new kind of record does not compile until it is here. */
export const belongings = (
  webhooks: WebhookStore,
): { readonly [Kind in Exclude<RecordKind, 'TOMBSTONE' | 'LINK_CODE' | 'PAYOUT'>]: Belongings<Kind> } => ({
  WEBHOOK: { store: webhooks },
  LINK: { store: links, ofRecord: (id) => ['LINK_CODE', id] },
  PROMOTIONAL_CODE: { store: promotionalCodes, values: ['USES'] },
  COUPON: { store: coupons, values: ['USES'], ofRecord: (id) => ['PROMOTIONAL_CODE', 'AUTOMATIC', id] },
  REFERRAL: { store: referrals },
  SALE: { store: sales, values: ['CUSTOMER', 'DAY'] },
  ADJUSTMENT: { store: adjustments },
  PAYOUT_BATCH: { store: payoutBatches, ofRecord: (id) => ['PAYOUT', 'BATCH', id] },
  AFFILIATE: { store: affiliates, values: ['TOTALS', 'NAME'], ofRecord: (id) => ['PAYOUT', 'AFFILIATE', id] },
  GROUP: { store: groups },
  API_KEY: { store: apiKeys },
  MEMBER: { store: members },
  IMPORT: { store: imports, values: ['ROWS'], files: 'import-files' },
  EXPORT: { store: exports, files: 'export-files' },
  AUDIT: { store: auditEntries },
  ERASURE: { store: erasures, values: ['FOUND'] },
  STATISTIC: { store: { kind: 'STATISTIC', uniqueNames: [] }, values: statisticNames },
});

/** Kinds that give access. Their tombstones outlive the program, so that a restore keeps revoked what was revoked. */
export const revocableKinds: readonly RecordKind[] = ['API_KEY', 'MEMBER', 'WEBHOOK'];

const itemsInOneMessage = 200;
const recordsInOneMessage = 100;
const maxConcurrency = 10;
/** A step starts at the front each time: what it deleted is no longer there. */
const goOn = 'GO_ON';

interface ItemKey {
  pk: PartitionKey;
  sk: string;
}

const firstKeys = async (pk: PartitionKey, count: number): Promise<ItemKey[]> => {
  const { items } = await queryItems('records', {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
    ProjectionExpression: 'sk',
    ConsistentRead: true,
    Limit: count,
  });
  return items.map((item) => ({ pk, sk: String(item.sk) }));
};

const deleteItems = (keys: readonly ItemKey[]): Promise<void> =>
  forEachConcurrent(keys, maxConcurrency, (key) => deleteItem('records', key));

/** Deletes a bounded part of some partitions; true if nothing is left. */
const emptied = async (partitions: readonly PartitionKey[]): Promise<boolean> => {
  const found: ItemKey[] = [];
  let isAll = true;
  await forEachConcurrent(partitions, maxConcurrency, async (pk) => {
    const hasRoom = found.length < itemsInOneMessage;
    const keys = hasRoom ? await firstKeys(pk, itemsInOneMessage) : [];
    found.push(...keys);
    if (!hasRoom || keys.length === itemsInOneMessage) isAll = false;
  });
  await deleteItems(found);
  return isAll;
};

const purgePartition =
  (kind: RecordKind, ...rest: string[]): Step =>
  async ({ programId }) =>
    (await emptied([partition(programId, kind, ...rest)])) ? undefined : goOn;

/** A record goes after what lies under it, because nothing else leads there. */
const purgeRecords =
  (kind: RecordKind, ofRecord: NonNullable<Belongings['ofRecord']>): Step =>
  async ({ programId }) => {
    const pk = partition(programId, kind);
    const keys = await firstKeys(pk, recordsInOneMessage);
    if (!(await emptied(keys.map(({ sk }) => partition(programId, ...ofRecord(sk)))))) return goOn;
    await deleteItems(keys);
    return keys.length < recordsInOneMessage ? undefined : goOn;
  };

const purgeRecordsWithFiles =
  (kind: RecordKind, fileKind: FileKind, deleteFile: DeleteFile): Step =>
  async ({ programId }) => {
    const keys = await firstKeys(partition(programId, kind), recordsInOneMessage);
    await forEachConcurrent(keys, maxConcurrency, ({ sk }) => deleteFile({ kind: fileKind, programId, id: sk }));
    await deleteItems(keys);
    return keys.length < recordsInOneMessage ? undefined : goOn;
  };

const recordsStep = ({ store: { kind }, ofRecord, files }: Belongings, deleteFile: DeleteFile): Step => {
  if (files) return purgeRecordsWithFiles(kind, files, deleteFile);
  return ofRecord ? purgeRecords(kind, ofRecord) : purgePartition(kind);
};

/** Repeated, because the operator's command may have died before it reached all tokens. */
const endAccess: Step = async ({ programId }) => {
  await updateTokens([programId], { programDeleted: true });
  return undefined;
};

/** Passed in, because the feed is in a layer above the domain, as webhooks are. */
type ExpireFeed = (programId: string, now: Date) => Promise<void>;

export interface PurgeTools {
  webhooks: WebhookStore;
  expireFeed: ExpireFeed;
  deleteFile: DeleteFile;
}

export const purgeSteps = ({ webhooks, expireFeed, deleteFile }: PurgeTools): readonly Step[] => [
  endAccess,
  ...Object.values<Belongings>(belongings(webhooks)).flatMap((of) => {
    const { kind, uniqueNames } = of.store;
    return [
      recordsStep(of, deleteFile),
      ...[...uniqueNames, ...(of.values ?? [])].map((name) => purgePartition(kind, name)),
      ...(revocableKinds.includes(kind) ? [] : [purgePartition('TOMBSTONE', kind)]),
    ];
  }),
  async ({ programId }, _after, now) => {
    await expireFeed(programId, now);
    return undefined;
  },
];
