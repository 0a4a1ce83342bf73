import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createOutbox } from '../../shared/platform/queue/outbox.ts';
import { queues } from '../../shared/platform/queue/send.ts';

interface Call {
  readonly bodies: readonly string[];
  readonly end: (response: { Failed?: { Id: string }[] }) => void;
}

const calls: Call[] = [];

beforeEach(() => {
  calls.length = 0;
  vi.stubEnv('DELIVERIES_QUEUE_URL', 'https://queues/deliveries');
  vi.spyOn(queues, 'send').mockImplementation(({ input }: { input: object }) => {
    const entries = 'Entries' in input && Array.isArray(input.Entries) ? input.Entries : [];
    const { promise, resolve } = Promise.withResolvers<object>();
    calls.push({ bodies: entries.map(({ MessageBody }) => JSON.parse(MessageBody).at), end: resolve });
    return promise;
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const message = (at: string) => ({ message: { at }, groupId: 'program' });
const numbers = (first: number, count: number) => Array.from({ length: count }, (_, at) => String(first + at));

it('sends what is ready first at once, and what comes meanwhile in few calls', async () => {
  const outbox = createOutbox('deliveries');
  const first = outbox([message('0')]);
  await vi.waitFor(() => expect(calls).toHaveLength(1));
  const later = numbers(1, 12).map((at) => outbox([message(at)]));
  expect(calls.map(({ bodies }) => bodies)).toEqual([['0']]);
  calls[0]?.end({});
  expect((await first).size).toBe(0);
  await vi.waitFor(() => expect(calls).toHaveLength(3));
  expect(calls.slice(1).map(({ bodies }) => bodies)).toEqual([numbers(1, 10), numbers(11, 2)]);
  for (const { end } of calls) end({});
  for (const unsent of await Promise.all(later)) expect(unsent.size).toBe(0);
});

it('returns what the queue did not take, and makes no call for nothing', async () => {
  const outbox = createOutbox('deliveries');
  const [taken, refused] = [message('0'), message('1')];
  const unsent = outbox([taken, refused]);
  await vi.waitFor(() => expect(calls).toHaveLength(1));
  calls[0]?.end({ Failed: [{ Id: '1' }] });
  expect([...(await unsent)]).toEqual([refused]);
  const later = outbox([message('2')]);
  await vi.waitFor(() => expect(calls).toHaveLength(2));
  // At once, whatever is under way.
  expect((await outbox([])).size).toBe(0);
  expect(calls).toHaveLength(2);
  calls[1]?.end({});
  await later;
});
