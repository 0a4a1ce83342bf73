import { expect, test } from 'vitest';
import { dynamodbAccesses, leadingKeysOf, type Tables } from '../../../infra/local/iam/dynamodb-access.ts';

const arn = 'arn:aws:dynamodb:us-east-1:000000000000:table/Records';
const tables: Tables = { Records: { arn, partitionKey: 'pk', indexes: { GSI1: 'gsi1pk' } } };
const item = (pk: string, more: object = {}) => ({ pk: { S: pk }, sk: { S: 'x' }, ...more });
const accesses = (operation: string, body: object) =>
  dynamodbAccesses(operation, body, tables).map((request) => [
    request.action.replace('dynamodb:', ''),
    request.resource.replace(arn, ''),
    ...leadingKeysOf(request),
  ]);
const attributes = (operation: string, body: object) =>
  dynamodbAccesses(operation, { TableName: 'Records', ...body }, tables)[0]?.context['dynamodb:Attributes'];

test('reads and writes of one item are checked by its partition key', () => {
  expect(accesses('GetItem', { TableName: 'Records', Key: item('a') })).toEqual([['GetItem', '', 'a']]);
  expect(accesses('PutItem', { TableName: 'Records', Item: item('b') })).toEqual([['PutItem', '', 'b']]);
  expect(accesses('DeleteItem', { TableName: arn, Key: item('c') })).toEqual([['DeleteItem', '', 'c']]);
});

test('each item of a transaction is checked under its own action', () => {
  const body = {
    TransactItems: [
      { Put: { TableName: 'Records', Item: item('a') } },
      { Update: { TableName: 'Records', Key: item('b') } },
      { Delete: { TableName: 'Records', Key: item('c') } },
      { ConditionCheck: { TableName: 'Records', Key: item('d') } },
    ],
  };
  expect(accesses('TransactWriteItems', body)).toEqual([
    ['PutItem', '', 'a'],
    ['UpdateItem', '', 'b'],
    ['DeleteItem', '', 'c'],
    ['ConditionCheckItem', '', 'd'],
  ]);
  expect(accesses('TransactGetItems', { TransactItems: [{ Get: { TableName: 'Records', Key: item('e') } }] })).toEqual([
    ['GetItem', '', 'e'],
  ]);
});

test('a batch is checked under its own action with all of its keys', () => {
  const gets = { RequestItems: { Records: { Keys: [item('a'), item('b'), item('a')] } } };
  expect(accesses('BatchGetItem', gets)).toEqual([['BatchGetItem', '', 'a', 'b']]);
  const writes = {
    RequestItems: { Records: [{ PutRequest: { Item: item('a') } }, { DeleteRequest: { Key: item('b') } }] },
  };
  expect(accesses('BatchWriteItem', writes)).toEqual([['BatchWriteItem', '', 'a', 'b']]);
});

test('a query is checked by the key of its table or index, wherever the expression names it', () => {
  const query = (KeyConditionExpression: string, more: object = {}) =>
    accesses('Query', {
      TableName: 'Records',
      KeyConditionExpression,
      ExpressionAttributeValues: { ':a': { S: 'one' }, ':b': { S: 'two' } },
      ...more,
    });
  expect(query('pk = :a')).toEqual([['Query', '', 'one']]);
  expect(query('sk=:a AND pk=:b')).toEqual([['Query', '', 'two']]);
  expect(query('#p = :a AND begins_with(sk, :b)', { ExpressionAttributeNames: { '#p': 'pk' } })).toEqual([
    ['Query', '', 'one'],
  ]);
  expect(query('gsi1pk = :b', { IndexName: 'GSI1' })).toEqual([['Query', '/index/GSI1', 'two']]);
  // The key of the table says nothing about a query of the index.
  expect(query('pk = :b', { IndexName: 'GSI1' })).toEqual([['Query', '/index/GSI1', '(everything)']]);
});

test('a scan and an unknown table have keys that only a pattern for anything matches', () => {
  expect(accesses('Scan', { TableName: 'Records' })).toEqual([['Scan', '', '(everything)']]);
  expect(accesses('GetItem', { TableName: 'Others', Key: item('a') })).toEqual([
    ['GetItem', arn.replace('Records', 'Others'), '(everything)'],
  ]);
});

test('the attributes of a request are those of its key and of all its expressions', () => {
  const update = {
    Key: item('a'),
    UpdateExpression: 'SET #n = if_not_exists(#n, :zero) + :one, plan.level = :p REMOVE expired ADD visits :one',
    ConditionExpression: 'attribute_exists(pk) AND (size(tags) > :n OR NOT #s IN (:x, :y))',
    ExpressionAttributeNames: { '#n': 'count', '#s': 'status' },
  };
  expect(attributes('UpdateItem', update)).toEqual([
    'pk',
    'sk',
    'tags',
    'status',
    'count',
    'plan',
    'expired',
    'visits',
  ]);
  expect(attributes('PutItem', { Item: item('a', { name: { S: 'x' } }) })).toEqual(['pk', 'sk', 'name']);
});

test('whoever reads an item whole reads every attribute', () => {
  expect(attributes('GetItem', { Key: item('a') })).toContain('(everything)');
  expect(attributes('GetItem', { Key: item('a'), ProjectionExpression: 'pk, plan.level' })).toEqual([
    'pk',
    'sk',
    'plan',
  ]);
  expect(attributes('UpdateItem', { Key: item('a'), ReturnValues: 'ALL_NEW' })).toEqual(['pk', 'sk']);
});
