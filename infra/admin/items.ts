import {
  type AttributeValue,
  DynamoDBClient,
  paginateQuery,
  paginateScan,
  type ScanCommandInput,
} from '@aws-sdk/client-dynamodb';

/** An item in DynamoDB's own form, so that numbers keep all their digits. */
export type Item = Record<string, AttributeValue>;

/** Retries throttled calls for longer than a function does, which has to respond in time. */
export const patientClient = (): DynamoDBClient => new DynamoDBClient({ retryMode: 'adaptive', maxAttempts: 20 });

/** All items of a table, read page by page. */
export async function* itemsOfTable(
  client: DynamoDBClient,
  TableName: string,
  scan: Omit<ScanCommandInput, 'TableName'> = {},
): AsyncGenerator<Item> {
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ...scan })) yield* Items;
}

/** All items of a partition, read page by page with strong consistency. */
export async function* itemsOfPartition(client: DynamoDBClient, TableName: string, pk: string): AsyncGenerator<Item> {
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: pk } },
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateQuery({ client }, query)) yield* Items;
}

/** Items in arrays of a size; the last one is smaller. */
export async function* chunksOf(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let chunk: Item[] = [];
  for await (const item of items) {
    chunk.push(item);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  yield chunk;
}

const programPartition = /^PROGRAM#([^#]+)#(.+)$/;

export interface Subject {
  pk: string;
  sk: string;
  /** The program that the item belongs to, also of its owner's and members' items and its handle; undefined for an account. */
  programId: string | undefined;
  /** The partition key without its program, such as `SALE` or `TOMBSTONE#COUPON`; undefined for items of people. */
  partition: string | undefined;
}

/** Which program an item belongs to, and how it is keyed. Throws for an item of another table. */
export const subjectOf = (item: Item): Subject => {
  const [pk, sk] = [item.pk?.S, item.sk?.S];
  if (pk === undefined || sk === undefined)
    throw new Error('An item has no keys pk and sk: it belongs to another table');
  const [, programId, partition] = programPartition.exec(pk) ?? [];
  if (programId !== undefined) return { pk, sk, programId, partition };
  if (pk.startsWith('HANDLE#')) return { pk, sk, programId: item.programId?.S, partition: undefined };
  const [, ofPerson] = (pk.startsWith('ACCOUNT#') && /^(?:PROGRAM|MEMBER_OF)#(.+)$/.exec(sk)) || [];
  return { pk, sk, programId: ofPerson, partition: undefined };
};

/** Its partition without ids and values, such as `SALE`, `SALE#CUSTOMER`, `TOMBSTONE#COUPON` or `ACCOUNT#MEMBER_OF`. */
export const kindOf = (item: Item): string => {
  const { pk, sk, partition } = subjectOf(item);
  const names = partition ?? (pk.startsWith('ACCOUNT#') && sk !== 'ACCOUNT' ? `ACCOUNT#${sk}` : pk);
  return /^[A-Z_]+(?:#[A-Z_]+(?=#|$))*/.exec(names)?.[0] ?? names;
};
