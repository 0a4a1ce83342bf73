import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { workers } from '../../shared/contract/workers.ts';
import { requestHandler } from '../../shared/platform/clients/request-handler.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { batchGetItems } from '../../shared/platform/table/items.ts';
import { retryTransient, withRetryDeadline } from '../../shared/platform/table/retry-transient.ts';
import { type Write, writeTogether } from '../../shared/platform/table/transaction.ts';
import { cancelled, named, stubbedSend } from '../support/stubbed-table.ts';

class Refused extends Error {}
const write = (refusal: Write['refusal'] = () => new Refused()): Write => ({
  Delete: { TableName: 'records', Key: { pk: 'a', sk: 'b' } },
  refusal,
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a write that belongs together', () => {
  it.each([
    cancelled('None', 'TransactionConflict'),
    cancelled('ThrottlingError'),
    cancelled('ProvisionedThroughputExceeded', 'TransactionConflict'),
    named('TransactionConflictException'),
    named('TransactionInProgressException'),
    named('ThrottlingException'),
    named('ProvisionedThroughputExceededException'),
    named('RequestLimitExceeded'),
  ])('is tried again after %s', async (error) => {
    const send = stubbedSend(error, error, 'written');
    await writeTogether([write(), write()]);
    expect(send).toHaveBeenCalledTimes(3);
  });

  it('sends the same write each time, and never its refusal', async () => {
    const send = stubbedSend(cancelled('TransactionConflict'));
    await writeTogether([write()]);
    const inputs = send.mock.calls.map(([command]) => command.input);
    expect(inputs).toEqual([inputs[0], inputs[0]]);
    expect(JSON.stringify(inputs[0])).not.toContain('refusal');
  });

  it('is not tried again when a condition did not hold, and throws the refusal of that item', async () => {
    const send = stubbedSend(cancelled('None', 'ConditionalCheckFailed'));
    const refusal = new Refused('the second');
    await expect(writeTogether([write(), write(() => refusal)])).rejects.toBe(refusal);
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('is not tried again when one item was in conflict and another one refused', async () => {
    const send = stubbedSend(cancelled('TransactionConflict', 'ConditionalCheckFailed'));
    await expect(writeTogether([write(), write()])).rejects.toThrow(Refused);
    expect(send).toHaveBeenCalledTimes(1);
  });

  it.each([named('ValidationException'), cancelled('ValidationError'), named('AccessDeniedException')])(
    'throws %s at once, as it is',
    async (error) => {
      const send = stubbedSend(error);
      await expect(writeTogether([write()])).rejects.toBe(error);
      expect(send).toHaveBeenCalledTimes(1);
    },
  );

  it('returns 503 with Retry-After when the conflict lasts', async () => {
    vi.useFakeTimers();
    const conflict = cancelled('TransactionConflict');
    const call = vi.fn().mockRejectedValue(conflict);
    const result = expect(retryTransient(call)).rejects.toMatchObject({
      status: 503,
      headers: { 'retry-after': '2' },
      cause: conflict,
    });
    await vi.runAllTimersAsync();
    await result;
    expect(call.mock.calls.length).toBeGreaterThan(10);
    expect(call.mock.calls.length).toBeLessThan(100);
  });

  it('stops retrying at one deadline for all calls of a request', async () => {
    vi.useFakeTimers();
    const call = vi.fn().mockRejectedValue(cancelled('TransactionConflict'));
    const start = performance.now();
    const result = withRetryDeadline(async () => {
      for (let calls = 0; calls < 5; calls++) await retryTransient(call).catch(() => undefined);
      return performance.now() - start;
    });
    await vi.runAllTimersAsync();
    expect(await result).toBeLessThanOrEqual(10_000);
    expect(await result).toBeGreaterThan(8000);
  });

  it('keeps its jitter up to the last retry, so that concurrent calls do not meet again', async () => {
    vi.useFakeTimers();
    const start = performance.now();
    const lastWaits = Array.from({ length: 20 }, async () => {
      let last = start;
      let wait = 0;
      await retryTransient(async () => {
        wait = performance.now() - last;
        last = performance.now();
        throw cancelled('TransactionConflict');
      }).catch(() => undefined);
      return wait;
    });
    await vi.runAllTimersAsync();
    const waits = await Promise.all(lastWaits);
    expect(new Set(waits.map((wait) => Math.floor(wait / 50))).size).toBeGreaterThan(5);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1001);
  });
});

it('the SDK repeats a throttled call four times within half a second, so that retries go on within the request', async () => {
  vi.useFakeTimers();
  const strategy = await documents.config.retryStrategy();
  if (!('acquireInitialRetryToken' in strategy)) throw new Error('The SDK has another kind of strategy');
  const waits: number[] = [];
  let token = await strategy.acquireInitialRetryToken('');
  const end = expect(
    (async () => {
      for (;;) {
        const start = performance.now();
        token = await strategy.refreshRetryTokenForRetry(token, { errorType: 'THROTTLING' });
        waits.push(performance.now() - start);
      }
    })(),
  ).rejects.toThrow('No retry token available');
  await vi.runAllTimersAsync();
  await end;
  expect(waits).toHaveLength(4);
  for (const [at, wait] of waits.entries()) expect(wait).toBeLessThanOrEqual(25 * 2 ** at + 1);
  expect(Math.max(...waits)).toBeGreaterThan(0);
});

describe('a batch of reads', () => {
  const keys = Array.from({ length: 150 }, (_, at) => ({ pk: 'a', sk: String(at) }));
  /** Returns the first keys of each call, as many as it says, and leaves the others unprocessed. */
  const processing = (processed: number) => {
    const moments: number[] = [];
    vi.spyOn(documents, 'send').mockImplementation(async ({ input }: { input: object }) => {
      moments.push(performance.now());
      const { Keys } = (input as { RequestItems: { records: { Keys: object[] } } }).RequestItems.records;
      const left = Keys.slice(processed);
      return {
        Responses: { records: Keys.slice(0, processed) },
        ...(left.length > 0 && { UnprocessedKeys: { records: { Keys: left } } }),
      };
    });
    return moments;
  };

  it('asks again for what was left unprocessed, with growing waits that differ, until it has all', async () => {
    vi.useFakeTimers();
    const moments = processing(30);
    const reading = batchGetItems('records', keys);
    await vi.runAllTimersAsync();
    expect((await reading).map((item) => Number(item.sk)).toSorted((one, other) => one - other)).toEqual(
      keys.map(({ sk }) => Number(sk)),
    );
    // 100 keys in four calls, 50 in two.
    expect(moments).toHaveLength(6);
    expect((moments[3] ?? 0) - (moments[0] ?? 0)).toBeGreaterThan(0);
  });

  it('is refused with 503 where the table goes on to process nothing', async () => {
    vi.useFakeTimers();
    const moments = processing(0);
    const result = expect(batchGetItems('records', keys)).rejects.toMatchObject({ status: 503 });
    await vi.runAllTimersAsync();
    await result;
    expect(moments.length).toBeLessThan(100);
  });
});

describe('a service that does not respond', () => {
  it.each([
    ['never connects', '10.255.255.1:1'],
    ['never returns', ''],
  ])('%s is given up after some seconds and called again', async (_, address) => {
    const server = createServer(() => {}).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const endpoint = `http://${address || `127.0.0.1:${port}`}`;
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
    const short = { ...requestHandler, connectionTimeout: 100, requestTimeout: 200 };
    const client = new DynamoDBClient({
      endpoint,
      region: 'us-east-1',
      credentials,
      maxAttempts: 2,
      requestHandler: short,
    });
    const start = performance.now();
    await expect(client.send(new ListTablesCommand({}))).rejects.toThrow();
    expect(performance.now() - start).toBeLessThan(5000);
    client.destroy();
    server.close();
    server.closeAllConnections();
  });

  it('is given up before the function that calls it', () => {
    const { connectionTimeout, requestTimeout, throwOnRequestTimeout } = requestHandler;
    expect(throwOnRequestTimeout).toBe(true);
    expect(connectionTimeout).toBeLessThan(requestTimeout);
    // Five attempts of the client, with its own short waits between them.
    for (const { timeoutSeconds } of [{ timeoutSeconds: 29 }, ...workers])
      expect(5 * requestTimeout).toBeLessThan(timeoutSeconds * 1000);
  });
});
