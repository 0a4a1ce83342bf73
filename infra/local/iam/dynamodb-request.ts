export type Item = { readonly [attribute: string]: { readonly [type: string]: unknown } };

/** The parts of a request, or of one item of a transaction, that decide about access. */
export interface ItemRequest {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Key?: Item;
  readonly Item?: Item;
  readonly Keys?: readonly Item[];
  readonly KeyConditionExpression?: string;
  readonly ConditionExpression?: string;
  readonly FilterExpression?: string;
  readonly ProjectionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: { readonly [name: string]: string };
  readonly ExpressionAttributeValues?: Item;
  readonly ReturnValues?: string;
  readonly Select?: string;
  readonly ExclusiveStartKey?: Item;
}

/** One write of a BatchWriteItem. */
interface WriteRequest {
  readonly PutRequest?: { readonly Item: Item };
  readonly DeleteRequest?: { readonly Key: Item };
}

export interface DynamoDBRequest extends ItemRequest {
  readonly StreamArn?: string;
  readonly TransactItems?: readonly { readonly [kind: string]: ItemRequest }[];
  readonly RequestItems?: { readonly [table: string]: ItemRequest | readonly WriteRequest[] };
}

/** Stands for every key or attribute there is: only a pattern that takes anything allows it. */
export const everything = '(everything)';

const transactionOperations: { readonly [kind: string]: string } = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/** The parts of a request with their operations: each item of a transaction, each table of a batch, or the request. */
export function itemRequestsOf(
  operation: string,
  body: DynamoDBRequest,
): { readonly operation: string; readonly request: ItemRequest }[] {
  if (body.TransactItems) {
    return body.TransactItems.flatMap((item) =>
      Object.entries(item).map(([kind, request]) => ({ operation: transactionOperations[kind] ?? kind, request })),
    );
  }
  if (!body.RequestItems) return [{ operation, request: body }];
  return Object.entries(body.RequestItems).map(([TableName, requests]) => ({
    operation,
    request: { ...batchOf(requests), TableName },
  }));
}

const batchOf = (requests: ItemRequest | readonly WriteRequest[]): ItemRequest => {
  if (!isList(requests)) return requests;
  return { Keys: requests.map(({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key ?? {}) };
};
const isList = <T>(value: unknown): value is readonly T[] => Array.isArray(value);

/** The value that a query asks a partition key to have; undefined where its condition names another attribute. */
export function queriedKey(request: ItemRequest, partitionKey: string): string | undefined {
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = request;
  for (const [, name = '', value = ''] of (request.KeyConditionExpression ?? '').matchAll(/([#\w]+)\s*=\s*(:\w+)/g)) {
    if ((names[name] ?? name) === partitionKey) return keyText(values[value]);
  }
  return undefined;
}

const comparisons: { readonly [operator: string]: (given: string, asked: string) => boolean } = {
  '=': (given, asked) => given === asked,
  '<': (given, asked) => given < asked,
  '<=': (given, asked) => given <= asked,
  '>': (given, asked) => given > asked,
  '>=': (given, asked) => given >= asked,
};

/** Whether a sort key, a text of ASCII characters, is one that the query asks for. */
export function isInQueriedRange(request: ItemRequest, sortKey: string, given: string): boolean {
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = request;
  const condition = request.KeyConditionExpression ?? '';
  const isSortKey = (name = '') => (names[name] ?? name) === sortKey;
  const asked = (value = '') => keyText(values[value]) ?? '';
  for (const [, name, operator = '', value] of condition.matchAll(/([#\w]+)\s*(<=|>=|[=<>])\s*(:\w+)/g)) {
    if (isSortKey(name) && !comparisons[operator]?.(given, asked(value))) return false;
  }
  for (const [, name, low, high] of condition.matchAll(/([#\w]+)\s+BETWEEN\s+(:\w+)\s+AND\s+(:\w+)/gi)) {
    if (isSortKey(name) && (given < asked(low) || given > asked(high))) return false;
  }
  for (const [, name, prefix] of condition.matchAll(/begins_with\s*\(\s*([#\w]+)\s*,\s*(:\w+)\s*\)/g)) {
    if (isSortKey(name) && !given.startsWith(asked(prefix))) return false;
  }
  return true;
}

/** The value of a key attribute, which is a text in JSON whatever its type. */
export const keyText = (attribute: Item[string] | undefined): string | undefined => {
  const value = attribute && Object.values(attribute)[0];
  return typeof value === 'string' ? value : undefined;
};
