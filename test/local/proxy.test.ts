import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { credentials, region } from '../../infra/local/account.ts';
import { readPolicy } from '../../infra/local/iam/policy.ts';
import { type ServiceProxy, startProxy } from '../../infra/local/proxy/proxy.ts';
import { type DynamoDBServer, startDynamoDB } from '../../infra/local/tables/dynamodb-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
// A name of its own, because the database may be shared: see DYNAMODB_ENDPOINT.
const TableName = `Records-${randomUUID()}`;
const arn = `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`;
const identity = {
  functionName: 'sales',
  roleName: 'SalesRole',
  accessKeyId: 'ASIASALES',
  secretAccessKey: 'secret',
  statements: readPolicy({
    Statement: {
      Effect: 'Allow',
      Action: ['dynamodb:GetItem', 'dynamodb:PutItem'],
      Resource: arn,
      Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': 'SALE#*' } },
    },
  }),
};
const warnings: string[] = [];
let dynamodb: DynamoDBServer;
let proxy: ServiceProxy;

const client = (caller: { accessKeyId: string; secretAccessKey: string }) =>
  new DynamoDBClient({ region, endpoint: proxy.endpoints.dynamodb, credentials: caller });
const put = (pk: string, text = '') => new PutItemCommand({ TableName, Item: { pk: { S: pk }, text: { S: text } } });

beforeAll(async () => {
  const fail = (reason: string) => warnings.push(reason);
  [dynamodb, proxy] = await Promise.all([
    startDynamoDB({ folder, onExit: fail }),
    startProxy({ warn: (line) => warnings.push(line), onExit: fail }),
  ]);
  await proxy.configure({
    upstreams: {
      dynamodb: dynamodb.endpoint,
      sqs: 'http://127.0.0.1:9',
      secrets: 'http://127.0.0.1:9',
      s3: 'http://127.0.0.1:9',
      ses: 'http://127.0.0.1:9',
    },
    identities: [identity],
    tables: { [TableName]: { arn, partitionKey: 'pk', indexes: {} } },
    recordUsage: true,
  });
  await client(credentials).send(
    new CreateTableCommand({
      TableName,
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
});

afterAll(async () => {
  await client(credentials).send(new DeleteTableCommand({ TableName }));
  await proxy.stop();
  await dynamodb.stop();
  rmSync(folder, { recursive: true });
});

test('a function reads and writes what its role allows, however large and however many at once', async () => {
  const sales = client(identity);
  const text = 'x'.repeat(300_000);
  await Promise.all(Array.from({ length: 40 }, (_, number) => sales.send(put(`SALE#${number}`, text))));
  const read = await Promise.all(
    Array.from({ length: 40 }, (_, number) =>
      sales.send(new GetItemCommand({ TableName, Key: { pk: { S: `SALE#${number}` } } })),
    ),
  );
  expect(read.map(({ Item }) => Item?.text?.S === text && Item.pk?.S)).toEqual(
    Array.from({ length: 40 }, (_, number) => `SALE#${number}`),
  );
});

test('what the role does not allow is refused, changes nothing, and leaves one line in the log', async () => {
  const before = warnings.length;
  await expect(client(identity).send(put('COUPON#1'))).rejects.toMatchObject({
    name: 'AccessDeniedException',
    message: expect.stringContaining('is not authorized to perform: dynamodb:PutItem'),
    $metadata: { httpStatusCode: 400, attempts: 1 },
  });
  // The line comes from the thread of the proxy, after the response.
  await expect
    .poll(() => warnings.slice(before))
    .toEqual([expect.stringMatching(/sales called dynamodb:PutItem on .*table\/Records-\S+ with the key COUPON#1/)]);
  const read = new GetItemCommand({ TableName, Key: { pk: { S: 'COUPON#1' } } });
  expect((await client(credentials).send(read)).Item).toBeUndefined();
});

test('the operator may do everything, and nobody else without a key of this run', async () => {
  await client(credentials).send(put('COUPON#2'));
  await client(credentials).send(new ScanCommand({ TableName, Limit: 1 }));
  const stranger = client({ accessKeyId: 'ASIASTRANGER', secretAccessKey: 'secret' });
  await expect(stranger.send(put('SALE#1'))).rejects.toMatchObject({ name: 'UnrecognizedClientException' });
});

test('used permissions are told', async () => {
  await client(identity).send(put('SALE#1'));
  expect(await proxy.usedPermissions()).toContainEqual(
    expect.objectContaining({ functionName: 'sales', action: 'dynamodb:PutItem', leadingKeyPattern: 'SALE#*' }),
  );
});

test('a request that comes in pieces, and two in one piece, are each returned', async () => {
  const body = JSON.stringify({ TableName, Key: { pk: { S: 'COUPON#3' } } });
  const request = [
    'POST / HTTP/1.1',
    'host: localhost',
    'x-amz-target: DynamoDB_20120810.GetItem',
    'content-type: application/x-amz-json-1.0',
    'x-amz-date: 20260101T000000Z',
    `authorization: AWS4-HMAC-SHA256 Credential=${identity.accessKeyId}/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
    `content-length: ${body.length}`,
  ].join('\r\n');
  const whole = `${request}\r\n\r\n${body}`;
  const socket = connect(Number(new URL(proxy.endpoints.dynamodb).port), '127.0.0.1');
  socket.setNoDelay(true);
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  for (let at = 0; at < whole.length; at += 50) {
    socket.write(whole.slice(at, at + 50));
    await new Promise(setImmediate);
  }
  socket.write(whole + whole);
  await expect.poll(() => received.match(/AccessDeniedException/g)?.length).toBe(3);
  socket.destroy();
  await once(socket, 'close');
});
