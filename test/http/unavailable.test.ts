import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient, InternalServerError, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { handler } from '../../functions/program.ts';
import { requestHandler } from '../../shared/platform/clients/request-handler.ts';
import { documents } from '../../shared/platform/table/client.ts';
import '../support/program.ts';

/** The error of a call to a database that is not listening, or that never responds. */
const errorOfCall = async (failure: 'refuses connections' | 'never responds'): Promise<Error> => {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  if (failure === 'refuses connections') server.close();
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
    requestHandler: { ...requestHandler, requestTimeout: 100 },
  });
  const error: unknown = await client.send(new ListTablesCommand({})).catch((caught: unknown) => caught);
  client.destroy();
  server.close();
  server.closeAllConnections();
  if (!(error instanceof Error)) throw new Error('The call succeeded');
  return error;
};

const requestProgram = async () => {
  const event = {
    version: '2.0',
    routeKey: 'ANY /api/v1/program',
    rawPath: '/api/v1/program',
    rawQueryString: '',
    headers: { authorization: `Bearer ${randomUUID()}` },
    requestContext: { http: { method: 'GET', path: '/api/v1/program', sourceIp: '192.0.2.1' }, requestId: 'r' },
    isBase64Encoded: false,
  } as unknown as APIGatewayProxyEventV2;
  const response = await handler(event as never, {} as Context);
  return response as { statusCode: number; headers: Record<string, string>; body: string };
};

beforeEach(() => {
  vi.stubEnv('RATE_LIMIT_READS', '600');
  vi.spyOn(console, 'error').mockImplementation(() => {});
  return () => vi.unstubAllEnvs();
});

describe('a request whose call to the database fails', () => {
  it.each([
    ['because it never responds', () => errorOfCall('never responds')],
    ['because it refuses connections', () => errorOfCall('refuses connections')],
    ['with a server error', async () => new InternalServerError({ message: 'x', $metadata: { httpStatusCode: 500 } })],
  ])('%s gets 503 with Retry-After, and no detail of the failure', async (_, makeError) => {
    const error = await makeError();
    const send = vi.spyOn(documents, 'send').mockImplementation(async () => {
      throw error;
    });
    const { statusCode, headers, body } = await requestProgram();
    // The key and the count of its address are read side by side, and neither read is repeated.
    expect(send).toHaveBeenCalledTimes(2);
    expect([statusCode, headers['retry-after']]).toEqual([503, '2']);
    expect(JSON.parse(body)).toEqual({ error: 'The request could not be completed now. Try again in a few seconds.' });
  });

  it('because permission is missing gets 500', async () => {
    const denied = Object.assign(new Error('denied'), {
      name: 'AccessDeniedException',
      $metadata: { httpStatusCode: 400 },
    });
    vi.spyOn(documents, 'send').mockImplementation(async () => {
      throw denied;
    });
    expect((await requestProgram()).statusCode).toBe(500);
  });
});
