import {
  type AttributeValue,
  DynamoDBClient,
  paginateQuery,
  paginateScan,
  type ScanCommandInput,
} from '@aws-sdk/client-dynamodb';

/** An item as DynamoDB sends it: numbers keep all their digits. */
export type Item = Record<string, AttributeValue>;

/** Patient: an operator's command may wait where a request may not. */
export const patientClient = (): DynamoDBClient => new DynamoDBClient({ retryMode: 'adaptive', maxAttempts: 20 });

/** All items of a table, in pages. */
export async function* itemsOfTable(
  client: DynamoDBClient,
  TableName: string,
  scan: Omit<ScanCommandInput, 'TableName'> = {},
): AsyncGenerator<Item> {
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ...scan })) yield* Items;
}

/** All items of a partition, in pages, and the newest state of each. */
export async function* itemsOfPartition(client: DynamoDBClient, TableName: string, pk: string): AsyncGenerator<Item> {
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: pk } },
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateQuery({ client }, query)) yield* Items;
}

const programPartition = /^PROGRAM#([^#]+)#(.+)$/;

/** What an item is about. */
export interface Subject {
  pk: string;
  sk: string;
  /** Of a program's item, or of one that says who owns the program or is a member of it. */
  programId: string | undefined;
  /** Of a program's item: what follows the program in its partition key, such as `SALE` or `TOMBSTONE#COUPON`. */
  partition: string | undefined;
}

export const subjectOf = (item: Item): Subject => {
  const [pk, sk] = [item.pk?.S, item.sk?.S];
  if (pk === undefined || sk === undefined) throw new Error('An item has no keys pk and sk: it is of another table');
  const [, programId, partition] = programPartition.exec(pk) ?? [];
  if (programId !== undefined) return { pk, sk, programId, partition };
  const [, ofPerson] = (pk.startsWith('ACCOUNT#') && /^(?:PROGRAM|MEMBER_OF)#(.+)$/.exec(sk)) || [];
  return { pk, sk, programId: ofPerson, partition: undefined };
};
