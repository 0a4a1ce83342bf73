import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { handler } from '../../functions/health.ts';
import { checkTable } from '../../shared/http/table-health.ts';
import { documents } from '../../shared/platform/table/client.ts';

beforeAll(() => {
  vi.stubEnv('RECORDS_TABLE', 'records');
  vi.stubEnv('STAGE', 'prod');
});
afterAll(() => {
  vi.unstubAllEnvs();
});

let clock = Date.now();
/** Past everything that was read before, in whatever order the tests run. */
const muchLater = (): number => {
  clock += 60_000;
  return clock;
};

const request = {
  routeKey: 'ANY /api/v1/health',
  rawPath: '/api/v1/health',
  rawQueryString: '',
  headers: {},
  requestContext: { requestId: 'x', http: { method: 'GET', path: '/api/v1/health' } },
};
const statusOfHealth = async () =>
  (await handler(request as unknown as Parameters<typeof handler>[0], {} as Parameters<typeof handler>[1])).statusCode;

it('many requests within five seconds read the table once', async () => {
  const send = vi.spyOn(documents, 'send').mockImplementation(async () => ({}));
  const later = muchLater();
  await Promise.all([checkTable(later), checkTable(later), checkTable(later + 4999)]);
  expect(send).toHaveBeenCalledTimes(1);
  // At half the units.
  const input = { TableName: 'records', Key: { pk: 'HEALTH', sk: 'HEALTH' }, ConsistentRead: false };
  expect(send.mock.calls[0]?.[0].input).toMatchObject(input);
  await checkTable(later + 5000);
  expect(send).toHaveBeenCalledTimes(2);
});

it('a table that cannot be read is a 503, until it can be read again', async () => {
  vi.useFakeTimers({ now: muchLater(), toFake: ['Date'] });
  try {
    vi.spyOn(console, 'error').mockReturnValue();
    const send = vi.spyOn(documents, 'send').mockImplementation(async () => {
      throw new Error('The table is not there');
    });
    expect(await statusOfHealth()).toBe(503);
    send.mockImplementation(async () => ({}));
    vi.setSystemTime(Date.now() + 5000);
    expect(await statusOfHealth()).toBe(200);
  } finally {
    vi.useRealTimers();
  }
});
