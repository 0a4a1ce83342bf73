import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runAhead } from '../../shared/platform/clients/admission.ts';
import { queueUrl } from '../../shared/platform/queue/queue-url.ts';
import { queues, send } from '../../shared/platform/queue/send.ts';
import { type Outgoing, sendBatch } from '../../shared/platform/queue/send-batch.ts';

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
const url = 'https://queues/deliveries';
const sent: Record<string, unknown>[] = [];
/** What the calls respond, one after the other; afterwards each takes all. */
let responses: (Error | { Failed?: { Id?: string }[] })[];

beforeEach(() => {
  sent.length = 0;
  responses = [];
  vi.stubEnv('DELIVERIES_QUEUE_URL', url);
  vi.spyOn(queues, 'send').mockImplementation(async ({ input }: { input: object }) => {
    sent.push({ ...input });
    const response = responses.shift() ?? {};
    if (response instanceof Error) throw response;
    return response;
  });
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe('a message', () => {
  it.each([
    [undefined, {}],
    [0, { DelaySeconds: 0 }],
    [900, { DelaySeconds: 900 }],
  ])('is sent with its group, and a delay of %s seconds', async (delaySeconds, delay) => {
    await send('deliveries', { at: 1 }, 'program', delaySeconds);
    expect(sent).toStrictEqual([{ QueueUrl: url, MessageBody: '{"at":1}', MessageGroupId: 'program', ...delay }]);
  });

  it('that the queue does not take fails', async () => {
    responses = [new Error('down')];
    await expect(send('deliveries', {}, 'program')).rejects.toThrow('down');
  });

  it('to a queue that the function does not need is refused', async () => {
    expect(queueUrl('deliveries')).toBe(url);
    vi.stubEnv('DELIVERIES_QUEUE_URL', '');
    const message = 'The environment variable DELIVERIES_QUEUE_URL is not set';
    expect(() => queueUrl('deliveries')).toThrow(message);
    await expect(send('deliveries', {}, 'program')).rejects.toThrow(message);
    expect(sent).toEqual([]);
  });

  it('is sent when the request is admitted, and not if it is refused', async () => {
    vi.mocked(queues.send).mockRestore();
    const call = vi.fn(async () => ({ response: {}, output: { $metadata: {}, MD5OfMessageBody: md5('{}') } }));
    queues.middlewareStack.add(() => call, { step: 'initialize', name: 'call', priority: 'low' });
    try {
      const refused = runAhead(Promise.reject(new Error('refused')), () => send('deliveries', {}, 'program'));
      await expect(refused).rejects.toThrow('refused');
      expect(call).not.toHaveBeenCalled();
      await runAhead(Promise.resolve(), () => send('deliveries', {}, 'program'));
      expect(call).toHaveBeenCalledTimes(1);
    } finally {
      queues.middlewareStack.remove('call');
    }
  });
});

describe('a batch of messages', () => {
  const outgoing = (count: number): Outgoing[] =>
    Array.from({ length: count }, (_, at) => ({ message: { at }, groupId: `group ${at}` }));
  const sizes = () => sent.map(({ Entries }) => (Entries as object[]).length);

  it.each([
    [0, []],
    [1, [1]],
    [10, [10]],
    [11, [10, 1]],
    [30, [10, 10, 10]],
  ])('of %i is sent in calls of %j', async (count, calls) => {
    expect((await sendBatch('deliveries', outgoing(count))).size).toBe(0);
    expect(sizes()).toEqual(calls);
    const bodies = sent.flatMap(({ Entries }) => (Entries as { MessageBody: string }[]).map((one) => one.MessageBody));
    expect(bodies).toEqual(outgoing(count).map(({ message }) => JSON.stringify(message)));
  });

  it('has the group and the delay of each, and numbers them', async () => {
    await sendBatch('deliveries', [
      { message: {}, groupId: 'a' },
      { message: {}, groupId: 'b', delaySeconds: 0 },
      { message: {}, groupId: 'c', delaySeconds: 5 },
    ]);
    expect(sent).toStrictEqual([
      {
        QueueUrl: url,
        Entries: [
          { Id: '0', MessageBody: '{}', MessageGroupId: 'a' },
          { Id: '1', MessageBody: '{}', MessageGroupId: 'b', DelaySeconds: 0 },
          { Id: '2', MessageBody: '{}', MessageGroupId: 'c', DelaySeconds: 5 },
        ],
      },
    ]);
  });

  it('returns what the queue refused, of each call', async () => {
    const all = outgoing(25);
    responses = [{ Failed: [{ Id: '0' }, { Id: '9' }] }, {}, { Failed: [{ Id: '4' }, { Id: 'unknown' }] }];
    expect([...(await sendBatch('deliveries', all))]).toEqual([all[0], all[9], all[24]]);
  });

  it('returns all of a call that failed, and only those, and logs it', async () => {
    const all = outgoing(12);
    responses = [{}, new Error('down')];
    expect([...(await sendBatch('deliveries', all))]).toEqual([all[10], all[11]]);
    expect(console.error).toHaveBeenCalledTimes(1);
    expect(console.error).toHaveBeenCalledWith(
      expect.stringMatching(/"messages not sent".*"queue":"deliveries".*"down"/),
    );
  });
});
