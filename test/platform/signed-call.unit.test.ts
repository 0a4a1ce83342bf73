import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { signedCall } from '../../shared/platform/clients/signed-call.ts';
import { quickItems, textOrSet } from '../../shared/platform/table/quick-items.ts';
import { unavailableErrorFor, withRetryDeadline } from '../../shared/platform/table/retry-transient.ts';

type Reply = (response: ServerResponse, request: IncomingMessage) => void;

const asked: { headers: IncomingMessage['headers']; url: string | undefined; body: object }[] = [];
let replies: Reply[] = [];
const server = createServer(async (request, response) => {
  asked.push({ headers: request.headers, url: request.url, body: JSON.parse(await text(request)) });
  (replies.length > 1 ? replies.shift() : replies[0])?.(response, request);
});

const json =
  (body: object, status = 200): Reply =>
  (response) => {
    response.statusCode = status;
    response.end(JSON.stringify(body));
  };
const refusal = (type: string, status = 400) => json({ __type: `com.amazonaws#${type}`, message: 'no' }, status);

beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'KEY');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_SESSION_TOKEN', 'session');
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${port}`);
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', undefined);
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${port}/any`);
  vi.stubEnv('RECORDS_TABLE', 'records');
  vi.stubEnv('TRAFFIC_TABLE', 'traffic');
  asked.length = 0;
});
afterEach(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it('a call is signed with the credentials of the environment, for its service and action', async () => {
  replies = [json({ Item: {} })];
  expect(await signedCall('dynamodb', 'GetItem', { TableName: 't' })).toEqual({ Item: {} });
  await signedCall('secretsmanager', 'GetSecretValue', { SecretId: 's' });
  expect(asked[0]).toMatchObject({
    url: '/',
    body: { TableName: 't' },
    headers: {
      'x-amz-target': 'DynamoDB_20120810.GetItem',
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-security-token': 'session',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=KEY\/\d{8}\/eu-central-1\/dynamodb\/aws4_request, .*host.*, Signature=[0-9a-f]{64}$/,
      ),
    },
  });
  expect(asked[1]).toMatchObject({
    url: '/any',
    headers: { 'x-amz-target': 'secretsmanager.GetSecretValue', 'content-type': 'application/x-amz-json-1.1' },
  });
});

it('a failure of the service or the network is tried again, up to four times, and is a 503 then', async () => {
  const cut: Reply = (_, request) => request.socket.destroy();
  replies = [json({}, 500), cut, json({}, 503), json({ done: true })];
  expect(await signedCall('dynamodb', 'GetItem', {})).toEqual({ done: true });
  expect(asked).toHaveLength(4);
  replies = [(response) => response.writeHead(502).end('<html>')];
  const error = await signedCall('dynamodb', 'GetItem', {}).catch((thrown: unknown) => thrown);
  expect(asked).toHaveLength(9);
  expect(error).toMatchObject({ name: 'UnknownError', message: 'Status 502' });
  expect(unavailableErrorFor(error)).toMatchObject({ status: 503 });
});

it('a refusal is thrown at once with its name, and throttling of the table is retried until the deadline', async () => {
  replies = [refusal('ResourceNotFoundException')];
  await expect(signedCall('dynamodb', 'GetItem', {})).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  expect(asked).toHaveLength(1);
  const throttled = refusal('ProvisionedThroughputExceededException');
  replies = [throttled, throttled, json({ Responses: { records: [] } })];
  expect(await quickItems('records', [{ pk: 'p', sk: 's' }])).toEqual([]);
  replies = [throttled];
  const waiting = withRetryDeadline(() => quickItems('records', [{ pk: 'p', sk: 's' }]), 50);
  await expect(waiting).rejects.toMatchObject({ status: 503 });
});

it('keys that were left unprocessed are asked for again', async () => {
  const [one, two] = ['one', 'two'].map((sk) => ({ pk: { S: 'p' }, sk: { S: sk } }));
  replies = [
    json({ Responses: { records: [one] }, UnprocessedKeys: { records: { Keys: [two] } } }),
    json({ Responses: { records: [two] }, UnprocessedKeys: {} }),
  ];
  const keys = ['one', 'two'].map((sk) => ({ pk: 'p', sk }));
  expect(await quickItems('records', keys)).toEqual(keys);
  expect(asked.map(({ body }) => body)).toEqual([
    { RequestItems: { records: { Keys: [one, two] } } },
    { RequestItems: { records: { Keys: [two] } } },
  ]);
});

it('a text that is there already is kept', async () => {
  replies = [json({ Attributes: { salt: { S: 'of another' } } })];
  const given = { name: 'salt', text: 'mine', ttl: 7 };
  expect(await textOrSet('traffic', { pk: 'p', sk: 's' }, given)).toBe('of another');
  expect(asked[0]?.body).toMatchObject({
    UpdateExpression: 'SET #name = if_not_exists(#name, :text), #ttl = if_not_exists(#ttl, :ttl)',
    ExpressionAttributeValues: { ':text': { S: 'mine' }, ':ttl': { N: '7' } },
  });
});
