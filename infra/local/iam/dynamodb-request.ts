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

/** The value of a key attribute, which is a text in JSON whatever its type. */
export const keyText = (attribute: Item[string] | undefined): string | undefined => {
  const value = attribute && Object.values(attribute)[0];
  return typeof value === 'string' ? value : undefined;
};
