import { randomUUID } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { admitted, runAhead } from '../../shared/platform/clients/admission.ts';
import { requestHandler } from '../../shared/platform/clients/request-handler.ts';
import { objects } from '../../shared/platform/objects/client.ts';
import { queues } from '../../shared/platform/queue/send.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { deployedName } from '../../shared/platform/table/deployed-name.ts';
import {
  batchGetItems,
  deleteItem,
  getItem,
  putItem,
  queryItems,
  scanItems,
} from '../../shared/platform/table/items.ts';
import { partition } from '../../shared/platform/table/partition.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const newKey = () => ({ pk: partition(randomUUID(), 'COUPON'), sk: '1' });

it('what is stored comes back as it was: large numbers exactly, texts of any key, and nothing of what is undefined', async () => {
  const key = newKey();
  const metadata = { constructor: 'Ford', nested: { constructor: { at: 1 } } };
  const numbers = {
    large: 2n ** 60n,
    safe: Number.MAX_SAFE_INTEGER,
    fraction: 0.5,
    negative: -(2n ** 53n),
    third: 1 / 3,
  };
  await putItem('records', { ...key, ...numbers, metadata, nothing: undefined, deep: { nothing: undefined } });
  expect(await getItem('records', key)).toEqual({ ...key, ...numbers, metadata, deep: {} });
});

it('an instance of a class is stored with its fields', async () => {
  const key = newKey();
  await putItem('records', {
    ...key,
    note: new (class Note {
      readonly text = 'one';
    })(),
  });
  expect(await getItem('records', key)).toEqual({ ...key, note: { text: 'one' } });
});

it('tables are those that the environment names', () => {
  vi.stubEnv('RECORDS_TABLE', '');
  expect(() => deployedName('records')).toThrow('The environment variable RECORDS_TABLE is not set');
  expect(deployedName('traffic')).toBe(process.env.TRAFFIC_TABLE);
  vi.unstubAllEnvs();
  expect(deployedName('records')).toBe(process.env.RECORDS_TABLE);
});

it.each([
  ['tables', documents],
  ['queues', queues],
  ['files', objects],
])('a call of the %s is given up after some seconds, and made five times at most', async (_, { config }) => {
  // The SDK shows neither before the first call, and the agent of plain HTTP later still.
  const { httpAgent: _later, ...shown } = requestHandler;
  expect(await Object(config.requestHandler).configProvider).toMatchObject(shown);
  expect(await Object(await config.retryStrategy()).maxAttemptsProvider()).toBe(5);
});

it('before a request is admitted its reads begin, and its writes wait', async () => {
  const key = newKey();
  await putItem('records', key);
  const { promise: admission, resolve: admit } = Promise.withResolvers<void>();
  await runAhead(admission, async () => {
    const deletion = deleteItem('records', key);
    const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': key.pk } };
    expect((await queryItems('records', query)).items).toEqual([key]);
    expect(await batchGetItems(deployedName('records'), [key])).toEqual([key]);
    await scanItems('records', { Limit: 1 }).next();
    expect(await getItem('records', key)).toEqual(key);
    admit();
    await deletion;
    expect(await getItem('records', key)).toBeUndefined();
  });
});

it('a request that is refused writes nothing, and what it read ahead is no failure', async () => {
  const key = newKey();
  const refused = Promise.reject(new Error('refused'));
  const run = (action: () => Promise<unknown>) => runAhead(refused, action);
  expect(await run(() => getItem('records', key))).toBeUndefined();
  await expect(run(() => putItem('records', key))).rejects.toThrow('refused');
  await expect(run(admitted)).rejects.toThrow('refused');
  expect(await getItem('records', key)).toBeUndefined();
});
