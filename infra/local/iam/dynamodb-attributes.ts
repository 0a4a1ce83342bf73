import { everything, type ItemRequest } from './dynamodb-request.ts';

const words = new Set([
  'SET',
  'REMOVE',
  'ADD',
  'DELETE',
  'AND',
  'OR',
  'NOT',
  'BETWEEN',
  'IN',
  'ATTRIBUTE_EXISTS',
  'ATTRIBUTE_NOT_EXISTS',
  'ATTRIBUTE_TYPE',
  'BEGINS_WITH',
  'CONTAINS',
  'SIZE',
  'IF_NOT_EXISTS',
  'LIST_APPEND',
]);

const reads = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan']);

/**
 * The top-level attributes that a request names, or `everything` where it reads without saying which. What a write returns
 * is not among them: for that IAM has `dynamodb:ReturnValues`.
 */
export function attributesOf(operation: string, request: ItemRequest): string[] {
  const named = new Set<string>();
  for (const item of [...(request.Keys ?? []), request.Key ?? {}, request.Item ?? {}]) {
    for (const name of Object.keys(item)) named.add(name);
  }
  const expressions = [
    request.KeyConditionExpression,
    request.ConditionExpression,
    request.FilterExpression,
    request.ProjectionExpression,
    request.UpdateExpression,
  ];
  for (const expression of expressions) {
    for (const name of namesIn(expression ?? '', request.ExpressionAttributeNames ?? {})) named.add(name);
  }
  const readsAll = reads.has(operation) && request.ProjectionExpression === undefined && request.Select !== 'COUNT';
  return readsAll ? [...named, everything] : [...named];
}

function namesIn(expression: string, aliases: { readonly [alias: string]: string }): string[] {
  // A word behind a dot is inside of an attribute, one behind a colon is a value.
  const found = [...expression.matchAll(/(?<![\w.:#])#?[A-Za-z_]\w*/g)].map(([name]) => name);
  return found.flatMap((name) => (words.has(name.toUpperCase()) ? [] : (aliases[name] ?? name)));
}
