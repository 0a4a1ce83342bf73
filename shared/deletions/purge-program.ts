import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { sideBySide } from '../background/side-by-side.ts';
import type { RecordKind } from '../contract/needs.ts';
import { allApiKeys, updateToken } from '../programs/repository.ts';
import { deployedName, documents } from '../table/client.ts';
import { type PartitionKey, partition } from '../table/partition.ts';
import { retryPassing } from '../table/transaction.ts';
import type { Step } from './steps.ts';

/**
 * Deletes everything that a deleted program has in the records table, item by item and without a look at what is in
 * them: its webhooks first, though nothing is sent for a program that is gone. What it has in the traffic table expires.
 * The tokens of its keys stay, so that they are answered as what they are. Decisions, section 5.
 */

/** What lies under a kind of record: values of the whole kind, and partitions of single records of it. */
interface Belongings {
  values?: readonly string[];
  ofRecord?: (id: string) => readonly [kind: RecordKind, ...rest: string[]];
}

/** Every kind of record, in the order in which they go. A new kind does not compile until it is here. */
const belongings: Record<Exclude<RecordKind, 'TOMBSTONE' | 'LINK_CODE' | 'PAYOUT'>, Belongings> = {
  WEBHOOK: { values: ['SLOT', 'SUBSCRIPTION'] },
  LINK: { values: ['SLUG'], ofRecord: (id) => ['LINK_CODE', id] },
  PROMOTIONAL_CODE: { values: ['CODE', 'EXTERNAL_ID'] },
  COUPON: { values: ['EXTERNAL_ID'], ofRecord: (id) => ['PROMOTIONAL_CODE', 'AUTOMATIC', id] },
  REFERRAL: { values: ['EMAIL', 'EXTERNAL_ID'] },
  SALE: { values: ['EXTERNAL_ID', 'EXTERNAL_INVOICE_ID', 'CUSTOMER'] },
  ADJUSTMENT: {},
  PAYOUT_BATCH: { ofRecord: (id) => ['PAYOUT', 'BATCH', id] },
  AFFILIATE: { values: ['EMAIL', 'NAME'], ofRecord: (id) => ['PAYOUT', 'AFFILIATE', id] },
  API_KEY: { values: ['CONNECTION'] },
};
const kinds = Object.keys(belongings) as (keyof typeof belongings)[];

const itemsInOneMessage = 200;
const recordsInOneMessage = 100;
const mostAtATime = 10;
/** A step begins at the front each time, where what it deleted no longer is. */
const goOn = 'GO_ON';

const firstIds = async (pk: PartitionKey, count: number): Promise<string[]> => {
  const answer = await documents.send(
    new QueryCommand({
      TableName: deployedName('records'),
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ProjectionExpression: 'sk',
      ConsistentRead: true,
      Limit: count,
    }),
  );
  return (answer.Items ?? []).map((item) => String(item.sk));
};

const deleteItems = (pk: PartitionKey, ids: readonly string[]): Promise<void> =>
  sideBySide(ids, mostAtATime, async (sk) => {
    const deletion = new DeleteCommand({ TableName: deployedName('records'), Key: { pk, sk } });
    await retryPassing(() => documents.send(deletion));
  });

/** Deletes as much of a partition as one message may; true when that was all. */
const emptied = async (pk: PartitionKey): Promise<boolean> => {
  const ids = await firstIds(pk, itemsInOneMessage);
  await deleteItems(pk, ids);
  return ids.length < itemsInOneMessage;
};

const purgePartition =
  (kind: RecordKind, ...rest: string[]): Step =>
  async ({ programId }) =>
    (await emptied(partition(programId, kind, ...rest))) ? undefined : goOn;

/** Each record goes after what lies under it, which nothing else leads to. */
const purgeRecords =
  (kind: RecordKind, ofRecord: NonNullable<Belongings['ofRecord']>): Step =>
  async ({ programId }) => {
    const pk = partition(programId, kind);
    const ids = await firstIds(pk, recordsInOneMessage);
    for (const id of ids) if (!(await emptied(partition(programId, ...ofRecord(id))))) return goOn;
    await deleteItems(pk, ids);
    return ids.length < recordsInOneMessage ? undefined : goOn;
  };

/** Once more, for the operator's command may have died before it came to all of them. */
const endAccess: Step = async ({ programId }) => {
  for (const { tokenHash } of await allApiKeys(programId)) await updateToken(tokenHash, { programDeleted: true });
  return undefined;
};

/** The steps of the purge, each a bounded part of the work at a time. */
export const purgeSteps: readonly Step[] = [
  endAccess,
  ...kinds.flatMap((kind) => {
    const { values = [], ofRecord } = belongings[kind];
    return [
      ofRecord ? purgeRecords(kind, ofRecord) : purgePartition(kind),
      ...values.map((value) => purgePartition(kind, value)),
      purgePartition('TOMBSTONE', kind),
    ];
  }),
];
