import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { belongings } from '../../shared/domain/deletions/purge-program.ts';
import { getProgram } from '../../shared/domain/programs/repository.ts';
import { deployedName } from '../../shared/platform/table/client.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { type Item, itemsOfPartition, itemsOfTable, patientClient } from './items.ts';

/** What says to a member that they are one. */
const membershipOf = (member: Item, programId: string) => ({
  pk: { S: `ACCOUNT#${member.email?.S}` },
  sk: { S: `MEMBER_OF#${programId}` },
});

/** A program's items: its records, what lies under them, unique values, sums, and what says who owns it and works in it. */
async function* itemsOfProgram(programId: string): AsyncGenerator<Item> {
  const { ownerEmail } = await getProgram(programId);
  const client = patientClient();
  const table = deployedName('records');
  const keys = ['ACCOUNT', `PROGRAM#${programId}`].map((sk) => ({ pk: { S: `ACCOUNT#${ownerEmail}` }, sk: { S: sk } }));
  for await (const member of itemsOfPartition(client, table, partition(programId, 'MEMBER')))
    keys.push(membershipOf(member, programId));
  for (const Key of keys) {
    const { Item } = await client.send(new GetItemCommand({ TableName: table, Key, ConsistentRead: true }));
    if (Item) yield Item;
  }
  yield* itemsOfPartition(client, table, partition(programId, 'PROGRAM'));
  for (const { store, values = [], ofRecord } of Object.values(belongings(webhooks))) {
    for await (const record of itemsOfPartition(client, table, partition(programId, store.kind))) {
      yield record;
      if (ofRecord) yield* itemsOfPartition(client, table, partition(programId, ...ofRecord(record.sk?.S ?? '')));
    }
    for (const name of [...store.uniqueNames, ...values])
      yield* itemsOfPartition(client, table, partition(programId, store.kind, name));
    yield* itemsOfPartition(client, table, partition(programId, 'TOMBSTONE', store.kind));
  }
}

/**
 * The items of one program, or of all, as JSON lines in the form of DynamoDB's own exports: `{"Item":{"pk":{"S":…},…}}`.
 * Reads page by page, and costs what the program has, not what the table has.
 */
export async function* exportLines(programId: string | undefined): AsyncGenerator<string> {
  const items =
    programId === undefined ? itemsOfTable(patientClient(), deployedName('records')) : itemsOfProgram(programId);
  for await (const Item of items) yield `${JSON.stringify({ Item })}\n`;
}
