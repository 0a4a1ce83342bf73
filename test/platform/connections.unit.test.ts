import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { expect, it } from 'vitest';
import { waitForConnection } from '../../shared/platform/clients/connections.ts';
import { maxConnections, requestHandler } from '../../shared/platform/clients/request-handler.ts';
import { queues } from '../../shared/platform/queue/send.ts';
import { documents } from '../../shared/platform/table/client.ts';

/** A client whose calls end, one after another, when they are told to. */
const openClient = () => {
  const inFlight: ((statusCode: number) => void)[] = [];
  let most = 0;
  const client = new DynamoDBClient({
    endpoint: 'http://127.0.0.1:1',
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
    requestHandler: {
      handle: async () => {
        const { promise, resolve } = Promise.withResolvers<number>();
        inFlight.push(resolve);
        most = Math.max(most, inFlight.length);
        const statusCode = await promise;
        const headers = { 'content-type': 'application/x-amz-json-1.0' };
        return { response: new HttpResponse({ statusCode, headers, body: Buffer.from('{}') }) };
      },
    },
  });
  waitForConnection(client.middlewareStack);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    call: () => client.send(new ListTablesCommand({})),
    seen: () => ({ inFlight: inFlight.length, most }),
    untilInFlight: async (count: number) => {
      while (inFlight.length < count) await turn();
      await turn();
    },
    end: (statusCode = 200) => inFlight.shift()?.(statusCode),
  };
};

it('calls beyond the connections of a client are not sent, so that their time does not run, until one is free', async () => {
  const { call, seen, untilInFlight, end } = openClient();
  const calls = Array.from({ length: 3 * maxConnections }, call);
  for (let ended = 0; ended < calls.length; ended++) {
    await untilInFlight(Math.min(maxConnections, calls.length - ended));
    expect(seen().inFlight).toBe(Math.min(maxConnections, calls.length - ended));
    end();
  }
  await Promise.all(calls);
  expect(seen().most).toBe(maxConnections);
});

it('calls that fail give their turn to others', async () => {
  const { call, untilInFlight, end } = openClient();
  const failing = Array.from({ length: maxConnections }, () => call().catch(() => 'failed'));
  await untilInFlight(maxConnections);
  const waiting = call();
  for (let ended = 0; ended < maxConnections; ended++) end(400);
  expect(new Set(await Promise.all(failing))).toEqual(new Set(['failed']));
  await untilInFlight(1);
  end();
  await waiting;
});

it.each([
  ['tables', documents],
  ['queues', queues],
])('the client of the %s has as many connections as calls', (_, { middlewareStack }) => {
  expect(middlewareStack.identify().filter((name) => name.startsWith('connections'))).toHaveLength(1);
  for (const agent of ['httpAgent', 'httpsAgent'] as const)
    expect(requestHandler[agent]).toEqual({ maxSockets: maxConnections });
});
