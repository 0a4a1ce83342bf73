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
}

/** One write of a BatchWriteItem. */
export interface WriteRequest {
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
