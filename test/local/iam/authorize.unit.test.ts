import { expect, test } from 'vitest';
import { createAuthorizer } from '../../../infra/local/iam/authorize.ts';
import type { Tables } from '../../../infra/local/iam/dynamodb-access.ts';
import { requireMappingAccess } from '../../../infra/local/iam/mapping-access.ts';
import { readPolicy } from '../../../infra/local/iam/policy.ts';
import { createUsageRecorder } from '../../../infra/local/iam/usage.ts';

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/Records';
const queue = 'arn:aws:sqs:us-east-1:000000000000:Jobs';
const secret = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:Keys';
const tables: Tables = { Records: { arn: table, partitionKey: 'pk', indexes: { GSI1: 'gsi1pk' } } };
const program = '0'.repeat(36);

const statements = readPolicy({
  Statement: [
    { Effect: 'Allow', Action: ['sqs:SendMessage'], Resource: queue },
    { Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: secret },
    {
      Effect: 'Allow',
      Action: ['dynamodb:Query', 'dynamodb:PutItem', 'dynamodb:Scan', 'dynamodb:ConditionCheckItem'],
      Resource: [table, `${table}/index/GSI1`],
      Condition: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`PROGRAM#${'?'.repeat(36)}#SALE`, 'TOTALS#*'] },
      },
    },
    {
      Effect: 'Deny',
      Action: 'dynamodb:PutItem',
      Resource: table,
      Condition: { StringEquals: { 'dynamodb:ReturnValues': 'ALL_OLD' } },
    },
  ],
});
const usage = createUsageRecorder();
const identity = { functionName: 'sales', roleName: 'SalesRole', accessKeyId: 'A', secretAccessKey: 'S', statements };
const { refusalOf } = createAuthorizer(identity, tables, usage);
const put = (pk: string, more: object = {}) => ({ TableName: 'Records', Item: { pk: { S: pk } }, ...more });
const sales = `PROGRAM#${program}#SALE`;

test('what the role allows passes', () => {
  expect(refusalOf('DynamoDB_20120810.PutItem', put(sales))).toBeUndefined();
  expect(refusalOf('AmazonSQS.SendMessageBatch', { QueueUrl: 'http://localhost:1/000000000000/Jobs' })).toBeUndefined();
  expect(refusalOf('secretsmanager.GetSecretValue', { SecretId: secret })).toBeUndefined();
});

test("another kind's key is refused in the words of AWS, and the log names function, action, resource and key", () => {
  const refusal = refusalOf('DynamoDB_20120810.PutItem', put(`PROGRAM#${program}#COUPON`));
  expect(refusal?.message).toBe(
    'User: arn:aws:sts::000000000000:assumed-role/SalesRole/sales is not authorized to perform: dynamodb:PutItem on ' +
      `resource: ${table} because no identity-based policy allows the dynamodb:PutItem action`,
  );
  for (const part of ['sales', 'dynamodb:PutItem', table, `PROGRAM#${program}#COUPON`]) {
    expect(refusal?.logLine).toContain(part);
  }
});

test('an explicit deny is told as one', () => {
  const refusal = refusalOf('DynamoDB_20120810.PutItem', put(sales, { ReturnValues: 'ALL_OLD' }));
  expect(refusal?.message).toMatch(/with an explicit deny in an identity-based policy$/);
});

test('one item that is not allowed refuses the whole transaction', () => {
  const check = { ConditionCheck: { TableName: 'Records', Key: { pk: { S: `PROGRAM#${program}#COUPON` } } } };
  const transaction = (...items: object[]) =>
    refusalOf('DynamoDB_20120810.TransactWriteItems', { TransactItems: items })?.message;
  expect(transaction({ Put: put(sales) })).toBeUndefined();
  expect(transaction({ Put: put(sales) }, check)).toContain('dynamodb:ConditionCheckItem');
  expect(transaction({ Delete: { TableName: 'Records', Key: { pk: { S: sales } } } })).toContain('dynamodb:DeleteItem');
});

test('a query of an index is checked by the key of the index', () => {
  const query = (expression: string, key: string) =>
    refusalOf('DynamoDB_20120810.Query', {
      TableName: 'Records',
      IndexName: 'GSI1',
      KeyConditionExpression: expression,
      ExpressionAttributeValues: { ':key': { S: key } },
    })?.type;
  expect(query('gsi1pk = :key', sales)).toBeUndefined();
  expect(query('gsi1pk = :key', 'TOKEN#1')).toBe('AccessDeniedException');
  expect(query('pk = :key', sales)).toBe('AccessDeniedException');
});

test('a scan is refused where a condition asks for the keys', () => {
  expect(refusalOf('DynamoDB_20120810.Scan', { TableName: 'Records' })?.message).toContain('dynamodb:Scan');
});

test('other queues and secrets are refused', () => {
  const toOther = refusalOf('AmazonSQS.SendMessage', { QueueUrl: 'http://localhost:1/000000000000/Other' });
  expect(toOther?.message).toContain('is not authorized to perform: sqs:sendmessage on resource: ');
  expect(refusalOf('AmazonSQS.ReceiveMessage', { QueueUrl: 'http://localhost:1/000000000000/Jobs' })).toBeDefined();
  expect(refusalOf('secretsmanager.GetSecretValue', { SecretId: `${secret}2` })).toBeDefined();
});

test('what was allowed is recorded once for each permission, and nothing that was refused', () => {
  refusalOf('DynamoDB_20120810.PutItem', put('TOTALS#abc'));
  refusalOf('DynamoDB_20120810.PutItem', put('TOTALS#def'));
  refusalOf('DynamoDB_20120810.PutItem', put('TOKEN#def'));
  refusalOf('AmazonSQS.SendMessage', { QueueUrl: 'http://localhost:1/000000000000/Jobs' });
  const used = usage.used();
  expect(used).toContainEqual({
    functionName: 'sales',
    action: 'dynamodb:PutItem',
    resource: table,
    statement: 2,
    leadingKey: 'TOTALS#*',
    leadingKeyPattern: 'TOTALS#*',
    count: 2,
  });
  expect(used.filter(({ leadingKey }) => leadingKey?.startsWith('TOKEN'))).toEqual([]);
  expect(used.find(({ action }) => action === 'sqs:SendMessage')).toMatchObject({ resource: queue, statement: 0 });
});

test('a mapping whose role may not read its source, or not send to its failure destination, does not start', () => {
  const stream = `${table}/stream/2026`;
  const reader = (Action: string[], Resource: string) =>
    readPolicy({ Statement: [{ Effect: 'Allow', Action, Resource }] });
  const queueReader = reader(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], queue);
  expect(() => requireMappingAccess(queueReader, queue, undefined)).not.toThrow();
  expect(() => requireMappingAccess(reader(['sqs:ReceiveMessage'], queue), queue, undefined)).toThrow('DeleteMessage');
  const streamReader = reader(['dynamodb:*'], stream);
  expect(() => requireMappingAccess(streamReader, stream, undefined)).not.toThrow();
  expect(() => requireMappingAccess(streamReader, stream, queue)).toThrow('SendMessage');
  expect(() => requireMappingAccess(reader(['dynamodb:GetRecords'], stream), stream, undefined)).toThrow(
    'Cannot access',
  );
});
