import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type BatchGetCommandOutput,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
  type ScanCommandOutput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { forEachConcurrent } from '../concurrency/for-each-concurrent.ts';
import { documents } from './client.ts';
import { deployedName, type TableName } from './deployed-name.ts';
import { retryTransient, retryWaits } from './retry-transient.ts';

type Item = Record<string, unknown>;

export interface ItemKey {
  pk: string;
  sk: string;
}

export const getItem = async (
  table: TableName,
  key: ItemKey,
  { isConsistent = true, attributes }: { isConsistent?: boolean; attributes?: string } = {},
): Promise<Item | undefined> => {
  const command = new GetCommand({
    TableName: deployedName(table),
    Key: key,
    ConsistentRead: isConsistent,
    ...(attributes && { ProjectionExpression: attributes }),
  });
  return (await retryTransient(() => documents.send(command))).Item;
};

/** `lastKey` is undefined on the last page. */
export const queryItems = async (
  table: TableName,
  query: Omit<QueryCommandInput, 'TableName'>,
): Promise<{ items: Item[]; lastKey: Item | undefined }> => {
  const command = new QueryCommand({ TableName: deployedName(table), ...query });
  const { Items = [], LastEvaluatedKey } = await retryTransient(() => documents.send(command));
  return { items: Items, lastKey: LastEvaluatedKey };
};

export const maxKeysOfCall = 100;
const maxConcurrentCalls = 8;

interface HowToRead {
  isConsistent?: boolean;
  attributes?: string;
}

const batchGetOnce = async (
  table: string,
  keys: readonly Item[],
  { isConsistent = true, attributes }: HowToRead,
): Promise<Item[]> => {
  const found: Item[] = [];
  const how = { ConsistentRead: isConsistent, ...(attributes && { ProjectionExpression: attributes }) };
  const wait = retryWaits();
  let left: Item[] = [...keys];
  for (;;) {
    const command = new BatchGetCommand({ RequestItems: { [table]: { Keys: left, ...how } } });
    const response: BatchGetCommandOutput = await retryTransient(() => documents.send(command));
    found.push(...(response.Responses?.[table] ?? []));
    left = response.UnprocessedKeys?.[table]?.Keys ?? [];
    if (left.length === 0) return found;
    await wait(new Error(`${left.length} keys of ${table} were left unprocessed`));
  }
};

/** Strongly consistent by default. Retries unprocessed keys with backoff until the request's deadline (503). */
export const batchGetItems = async (table: string, keys: readonly Item[], how: HowToRead = {}): Promise<Item[]> => {
  const found: Item[] = [];
  const parts = Array.from({ length: Math.ceil(keys.length / maxKeysOfCall) }, (_, at) =>
    keys.slice(at * maxKeysOfCall, (at + 1) * maxKeysOfCall),
  );
  await forEachConcurrent(parts, maxConcurrentCalls, async (part) => {
    found.push(...(await batchGetOnce(table, part, how)));
  });
  return found;
};

/** `item` needs `ReturnValuesOnConditionCheckFailure: 'ALL_OLD'`. */
export type Conditional<Value> = { isWritten: true; value: Value } | { isWritten: false; item: Item | undefined };

const whereConditionHolds = async <Value>(write: () => Promise<Value>): Promise<Conditional<Value>> => {
  try {
    return { isWritten: true, value: await retryTransient(write) };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { isWritten: false, item: error.Item && unmarshall(error.Item) };
  }
};

/** Overwrites. */
export const putItem = async (table: TableName, item: ItemKey & Item): Promise<void> => {
  const command = new PutCommand({ TableName: deployedName(table), Item: item });
  await retryTransient(() => documents.send(command));
};

/** False if there is one with this key already, which stays. */
export const putItemOnce = async (table: TableName, item: ItemKey & Item): Promise<boolean> => {
  const command = new PutCommand({
    TableName: deployedName(table),
    Item: item,
    ConditionExpression: 'attribute_not_exists(pk)',
  });
  return (await whereConditionHolds(() => documents.send(command))).isWritten;
};

export const deleteItem = async (table: TableName, key: ItemKey): Promise<void> => {
  const command = new DeleteCommand({ TableName: deployedName(table), Key: key });
  await retryTransient(() => documents.send(command));
};

/** Deletes it, and returns what it was. */
export const takeItem = async (table: TableName, key: ItemKey): Promise<Item | undefined> => {
  const command = new DeleteCommand({ TableName: deployedName(table), Key: key, ReturnValues: 'ALL_OLD' });
  return (await retryTransient(() => documents.send(command))).Attributes;
};

/** `value` has the attributes that `ReturnValues` asks for. */
export const updateItem = (
  table: TableName,
  key: ItemKey,
  update: Omit<UpdateCommandInput, 'TableName' | 'Key'>,
): Promise<Conditional<Item | undefined>> => {
  const command = new UpdateCommand({ TableName: deployedName(table), Key: key, ...update });
  return whereConditionHolds(async () => (await documents.send(command)).Attributes);
};

export async function* queryAllItems(
  table: TableName,
  query: Omit<QueryCommandInput, 'TableName'>,
): AsyncGenerator<Item> {
  let from: Item | undefined;
  do {
    const { items, lastKey } = await queryItems(table, { ...query, ...(from && { ExclusiveStartKey: from }) });
    yield* items;
    from = lastKey;
  } while (from);
}

/** Reads the whole table: for the operator's commands. */
export async function* scanItems(table: TableName, scan: Omit<ScanCommandInput, 'TableName'>): AsyncGenerator<Item> {
  let from: Item | undefined;
  do {
    const command = new ScanCommand({
      TableName: deployedName(table),
      ...scan,
      ...(from && { ExclusiveStartKey: from }),
    });
    const page: ScanCommandOutput = await retryTransient(() => documents.send(command));
    yield* page.Items ?? [];
    from = page.LastEvaluatedKey;
  } while (from);
}
