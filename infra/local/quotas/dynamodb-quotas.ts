import type { TableKeys, Tables } from '../iam/dynamodb-access.ts';
import {
  type DynamoDBRequest,
  type Item,
  type ItemRequest,
  isInQueriedRange,
  itemRequestsOf,
  keyText,
  queriedKey,
} from '../iam/dynamodb-request.ts';
import type { WireError } from '../relay/wire.ts';

/** What DynamoDB takes at most, as far as the embedded database takes more. */
const dynamodbQuotas = {
  operatorsPerExpression: 300,
  operandsOfIn: 100,
  indexKeyBytes: 2048,
} as const;

const expressions = ['UpdateExpression', 'ConditionExpression', 'FilterExpression', 'KeyConditionExpression'] as const;

/** Why DynamoDB would refuse a request that the embedded database takes; undefined where it would not. */
export function dynamodbQuotaError(operation: string, body: DynamoDBRequest, tables: Tables): WireError | undefined {
  for (const { request } of itemRequestsOf(operation, body)) {
    const message = expressionProblem(request) ?? startKeyProblem(request, tables) ?? indexKeyProblem(request, tables);
    if (message !== undefined) return { type: 'ValidationException', message };
  }
  return undefined;
}

function expressionProblem(request: ItemRequest): string | undefined {
  for (const name of expressions) {
    const expression = request[name];
    // Most are short; nothing that short can have too much in it.
    if (expression === undefined || expression.length < dynamodbQuotas.operandsOfIn * 2) continue;
    const operators = countOperators(expression, name === 'UpdateExpression');
    if (operators > dynamodbQuotas.operatorsPerExpression)
      return `Invalid ${name}: The expression contains too many operators; operator count: ${operators}`;
    for (const [, operands = ''] of expression.matchAll(/\bIN\s*\(([^)]*)\)/gi)) {
      const count = operands.split(',').length;
      if (count > dynamodbQuotas.operandsOfIn)
        return `Invalid ${name}: The IN operator is provided with too many operands; number of operands: ${count}`;
    }
  }
  return undefined;
}

/** Operators and functions; the `=` of an update assigns and is none. */
function countOperators(expression: string, isUpdate: boolean): number {
  const functions = /\b[a-z_]+\s*\(/g;
  const operators = isUpdate ? /[+-]/g : /<>|<=|>=|[=<>]|\b(?:AND|OR|NOT|BETWEEN|IN)\b/gi;
  return [functions, operators].reduce((sum, kind) => sum + (expression.match(kind)?.length ?? 0), 0);
}

/** A page of a query begins within its partition and its range. */
function startKeyProblem(request: ItemRequest, tables: Tables): string | undefined {
  const { ExclusiveStartKey: start, KeyConditionExpression: condition, IndexName } = request;
  if (!start || condition === undefined) return undefined;
  const table = tables[request.TableName ?? ''];
  const partitionKey = IndexName === undefined ? table?.partitionKey : table?.indexes[IndexName];
  const asked = table && queriedKey(request, partitionKey ?? '');
  const given = keyText(start[partitionKey ?? '']);
  if (asked !== undefined && asked !== given)
    return 'The provided starting key is outside query boundaries based on provided conditions';
  const sortKey = table?.sortKey ?? '';
  const position = keyText(start[sortKey]);
  return position === undefined || isInQueriedRange(request, sortKey, position)
    ? undefined
    : 'The provided starting key does not match the range key predicate';
}

function indexKeyProblem(request: ItemRequest, tables: Tables): string | undefined {
  const table = tables[request.TableName ?? ''];
  if (!table || !request.Item) return undefined;
  return indexKeysOf(request.Item, table).some((key) => Buffer.byteLength(key) > dynamodbQuotas.indexKeyBytes)
    ? `One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of${dynamodbQuotas.indexKeyBytes} bytes`
    : undefined;
}

const indexKeysOf = (item: Item, { indexes }: TableKeys): string[] =>
  Object.values(indexes).flatMap((name) => keyText(item[name]) ?? []);
