import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { belongings } from '../../shared/domain/deletions/purge-program.ts';
import { handleKey } from '../../shared/domain/programs/handles.ts';
import { getProgram } from '../../shared/domain/programs/repository.ts';
import { begin } from '../../shared/platform/concurrency/begin.ts';
import { deployedName } from '../../shared/platform/table/deployed-name.ts';
import { type Kind, partition } from '../../shared/platform/table/partition.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { ExportTally } from './export-end.ts';
import { chunksOf, type Item, itemsOfPartition, itemsOfTable, patientClient } from './items.ts';

const recordsAtATime = 25;

/** Reads the first page at once, and further pages when they are needed. */
const prefetched = (items: AsyncGenerator<Item>): AsyncIterable<Item> => {
  const first = begin(items.next());
  return (async function* () {
    const { done, value } = await first;
    if (done) return;
    yield value;
    yield* items;
  })();
};

/** The items of the owner and of the members that refer to the program, and its handle. */
const peopleOf = async (client: DynamoDBClient, TableName: string, programId: string): Promise<Item[]> => {
  const { ownerEmail, handle } = await getProgram(programId);
  const members = await Array.fromAsync(itemsOfPartition(client, TableName, partition(programId, 'MEMBER')));
  const keys = [
    { pk: `ACCOUNT#${ownerEmail}`, sk: 'ACCOUNT' },
    { pk: `ACCOUNT#${ownerEmail}`, sk: `PROGRAM#${programId}` },
    ...(handle ? [handleKey(handle)] : []),
    ...members.map(({ email }) => ({ pk: `ACCOUNT#${email?.S}`, sk: `MEMBER_OF#${programId}` })),
  ];
  const read = async ({ pk, sk }: { pk: string; sk: string }): Promise<Item[]> => {
    const Key = { pk: { S: pk }, sk: { S: sk } };
    const { Item } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
    return Item ? [Item] : [];
  };
  return (await Promise.all(keys.map(read))).flat();
};

/** The items of a program: its owner and members, its records with the partitions below them, unique values and tombstones. */
async function* itemsOfProgram(programId: string): AsyncGenerator<Item> {
  const client = patientClient();
  const table = deployedName('records');
  const itemsOf = (kind: Kind, ...rest: readonly string[]) =>
    itemsOfPartition(client, table, partition(programId, kind, ...rest));
  yield* await peopleOf(client, table, programId);
  yield* itemsOf('PROGRAM');
  for (const { store, values = [], ofRecord } of Object.values(belongings(webhooks))) {
    for await (const records of chunksOf(itemsOf(store.kind), recordsAtATime)) {
      yield* records;
      const below = ofRecord ? records.map(({ sk }) => prefetched(itemsOf(...ofRecord(sk?.S ?? '')))) : [];
      for (const items of below) yield* items;
    }
    for (const name of [...store.uniqueNames, ...values]) yield* itemsOf(store.kind, name);
    yield* itemsOf('TOMBSTONE', store.kind);
  }
}

/**
 * The items of a program, or of the whole table, as JSON lines in the format of DynamoDB's own exports:
 * `{"Item":{"pk":{"S":…},…}}`, and last `{"End":{…}}` with counts and a checksum. Reads page by page; the export of a
 * program reads that program only.
 * @param programId the whole table if undefined
 */
export async function* exportLines(programId: string | undefined): AsyncGenerator<string> {
  const items =
    programId === undefined ? itemsOfTable(patientClient(), deployedName('records')) : itemsOfProgram(programId);
  const tally = new ExportTally();
  for await (const Item of items) {
    const line = `${JSON.stringify({ Item })}\n`;
    tally.add(Item, line);
    yield line;
  }
  yield `${JSON.stringify({ End: tally.end() })}\n`;
}
