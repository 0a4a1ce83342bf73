import { type NativeAttributeValue, unmarshall } from '@aws-sdk/util-dynamodb';
import { signedCall } from '../clients/signed-call.ts';
import { deployedName, type TableName } from './deployed-name.ts';
import { retryTransient, retryWaits } from './retry-transient.ts';

// For the functions that visitors wait for: `items.ts` without the client of the SDK.

export interface QuickKey {
  readonly pk: string;
  readonly sk: string;
}
type Item = Readonly<Record<string, NativeAttributeValue>>;
type Attributes = Parameters<typeof unmarshall>[0];

const attributesOf = ({ pk, sk }: QuickKey) => ({ pk: { S: pk }, sk: { S: sk } });

const call = async <Response>(action: string, input: object): Promise<Response> =>
  (await retryTransient(() => signedCall('dynamodb', action, input))) as Response;

interface BatchResponse {
  Responses?: Record<string, Attributes[]>;
  UnprocessedKeys?: Record<string, { Keys: object[] }>;
}

/** At most 100 items, eventually consistent, in one call if the table is not throttled. */
export const quickItems = async (table: TableName, keys: readonly QuickKey[]): Promise<Item[]> => {
  const name = deployedName(table);
  const wait = retryWaits();
  const found: Item[] = [];
  let left: object[] = keys.map(attributesOf);
  for (;;) {
    const response = await call<BatchResponse>('BatchGetItem', { RequestItems: { [name]: { Keys: left } } });
    found.push(...(response.Responses?.[name] ?? []).map((item) => unmarshall(item)));
    left = response.UnprocessedKeys?.[name]?.Keys ?? [];
    if (left.length === 0) return found;
    await wait(new Error(`${left.length} keys of ${name} were left unprocessed`));
  }
};

/** Strongly consistent. */
export const quickItem = async (table: TableName, key: QuickKey): Promise<Item | undefined> => {
  const input = { TableName: deployedName(table), Key: attributesOf(key), ConsistentRead: true };
  const { Item } = await call<{ Item?: Attributes }>('GetItem', input);
  return Item && unmarshall(Item);
};

/** Sets a text and the time of expiry of an item that lacks them, and returns the text that it has then. */
export const textOrSet = async (
  table: TableName,
  key: QuickKey,
  { name, text, ttl }: { name: string; text: string; ttl: number },
): Promise<string> => {
  const { Attributes } = await call<{ Attributes: Attributes }>('UpdateItem', {
    TableName: deployedName(table),
    Key: attributesOf(key),
    UpdateExpression: 'SET #name = if_not_exists(#name, :text), #ttl = if_not_exists(#ttl, :ttl)',
    ExpressionAttributeNames: { '#name': name, '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':text': { S: text }, ':ttl': { N: String(ttl) } },
    ReturnValues: 'ALL_NEW',
  });
  return String(unmarshall(Attributes)[name]);
};
