import { accountId, region } from '../account.ts';
import { attributesOf } from './dynamodb-attributes.ts';
import {
  type DynamoDBRequest,
  everything,
  type ItemRequest,
  itemRequestsOf,
  keyText,
  queriedKey,
} from './dynamodb-request.ts';
import type { AccessContext, AccessRequest } from './evaluate.ts';

/** What a check must know of a table: the ARN that policies name, and the partition keys. */
export interface TableKeys {
  readonly arn: string;
  readonly partitionKey: string;
  readonly sortKey?: string | undefined;
  /** The partition key of each index, by the index's name. */
  readonly indexes: { readonly [name: string]: string };
}

export type Tables = { readonly [name: string]: TableKeys };

const leadingKeysCondition = 'dynamodb:LeadingKeys';

/** The partition keys that a request touches, of the table or of the index that it names. */
export const leadingKeysOf = ({ context }: AccessRequest): readonly string[] => {
  const keys = context[leadingKeysCondition] ?? [];
  return typeof keys === 'string' ? [keys] : keys;
};

/**
 * All that a request to DynamoDB must be allowed: a transaction item by item under the action of each item, a batch under
 * its own action once a table.
 *
 * @param operation such as `TransactWriteItems`
 */
export function dynamodbAccesses(operation: string, body: DynamoDBRequest, tables: Tables): AccessRequest[] {
  if (body.StreamArn) return [{ action: `dynamodb:${operation}`, resource: body.StreamArn, context: {} }];
  return itemRequestsOf(operation, body).map((part) => ofItems(part.operation, part.request, tables));
}

function ofItems(operation: string, request: ItemRequest, tables: Tables): AccessRequest {
  const tableName = (request.TableName ?? '').split('/').at(-1) ?? '';
  const table = tables[tableName];
  const tableArn = table?.arn ?? `arn:aws:dynamodb:${region}:${accountId}:table/${tableName}`;
  const partitionKey = request.IndexName === undefined ? table?.partitionKey : table?.indexes[request.IndexName];
  return {
    action: `dynamodb:${operation}`,
    resource: request.IndexName === undefined ? tableArn : `${tableArn}/index/${request.IndexName}`,
    context: contextOf(operation, request, partitionKey),
  };
}

function contextOf(operation: string, request: ItemRequest, partitionKey: string | undefined): AccessContext {
  return {
    [leadingKeysCondition]: touchedKeys(operation, request, partitionKey),
    // Only few policies ask for them, so they are not read from the expressions before.
    get 'dynamodb:Attributes'() {
      return attributesOf(operation, request);
    },
    'dynamodb:ReturnValues': request.ReturnValues,
    'dynamodb:Select': request.Select,
  };
}

function touchedKeys(operation: string, request: ItemRequest, partitionKey: string | undefined): string[] {
  // A scan touches every key. IAM finds none in it, and so would allow what names the keys that it allows.
  if (operation === 'Scan' || partitionKey === undefined) return [everything];
  if (operation === 'Query') return [queriedKey(request, partitionKey) ?? everything];
  const items = request.Keys ?? [request.Key ?? request.Item ?? {}];
  return [...new Set(items.flatMap((item) => keyText(item[partitionKey]) ?? []))];
}
