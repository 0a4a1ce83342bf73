import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { hopLimitOf } from '../../shared/contract/loops.ts';
import { type QueueWorkerId, workers } from '../../shared/contract/workers.ts';
import { queueWorker } from '../../shared/platform/queue/queue-worker.ts';
import { queues } from '../../shared/platform/queue/send.ts';
import { currentWriter } from '../../shared/platform/table/actor.ts';
import { sqsRecord } from '../support/sqs-record.ts';

const logged: Record<string, unknown>[] = [];
const sent: object[] = [];

beforeEach(() => {
  logged.length = 0;
  sent.length = 0;
  vi.stubEnv('DEAD_LETTERS_URL', 'https://queues/dead-letters');
  vi.spyOn(console, 'error').mockImplementation((line) => void logged.push(JSON.parse(String(line))));
  vi.spyOn(queues, 'send').mockImplementation(async ({ input }: { input: object }) => {
    sent.push({ ...input });
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const record = (messageId: string, body: string, more: { hops?: number; group?: string } = {}): SQSRecord =>
  sqsRecord(
    {
      messageId,
      body,
      messageAttributes:
        more.hops === undefined ? {} : { hops: { dataType: 'Number', stringValue: String(more.hops) } },
    },
    { ApproximateReceiveCount: '3', ...(more.group && { MessageGroupId: more.group }) },
  );

type Handle = (message: { at: number }) => Promise<void>;

const run = async (records: SQSRecord[], handle: Handle) => {
  const event: SQSEvent = { Records: records };
  const context = { getRemainingTimeInMillis: () => 1000 } as Context;
  return queueWorker('finish-deletion', z.object({ at: z.number() }), handle)(event, context, () => {});
};

it('every message of a batch is handled, parsed, as the worker', async () => {
  const handled: unknown[] = [];
  const records = [record('a', '{"at":1,"more":2}'), record('b', '{"at":2}')];
  const response = await run(records, async (message) => void handled.push([message, currentWriter()?.by]));
  expect(response).toEqual({ batchItemFailures: [] });
  expect(handled).toEqual([
    [{ at: 1 }, 'S:finish-deletion'],
    [{ at: 2 }, 'S:finish-deletion'],
  ]);
  expect(logged).toEqual([]);
});

it.each([
  ['all', 2],
  ['one', 1],
])('of a batch, %s of which fail, those come again that failed, each with a line in the log', async (_, failing) => {
  const records = [record('a', '{"at":1}'), record('b', '{"at":2}')];
  const response = await run(records, async ({ at }) => {
    if (at <= failing) throw new Error(`no ${at}`);
  });
  const failed = ['a', 'b'].slice(0, failing);
  expect(response).toEqual({ batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) });
  expect(logged).toMatchObject(
    failed.map((messageId, at) => ({
      level: 'ERROR',
      message: 'message failed',
      errorMessage: `no ${at + 1}`,
      messageId,
      receives: '3',
    })),
  );
});

it.each(['no JSON', '{"at":"1"}', '[]'])(
  'a message that is out of shape comes again and is not handled: %s',
  async (body) => {
    const handle = vi.fn(async () => {});
    expect(await run([record('a', body)], handle)).toEqual({ batchItemFailures: [{ itemIdentifier: 'a' }] });
    expect(handle).not.toHaveBeenCalled();
  },
);

it('one with too many hops becomes a dead letter, with its group where it has one, and is logged', async () => {
  const worker = workers.find(({ id }) => id === 'finish-deletion');
  const hops = (worker && hopLimitOf(worker)) ?? 0;
  const handle = vi.fn(async () => {});
  await run([record('a', '{"at":1}', { hops, group: 'program' }), record('b', '{"at":2}', { hops })], handle);
  expect(handle).not.toHaveBeenCalled();
  const letter = { QueueUrl: 'https://queues/dead-letters' };
  expect(sent).toStrictEqual([
    { ...letter, MessageBody: '{"at":1}', MessageGroupId: 'program' },
    { ...letter, MessageBody: '{"at":2}' },
  ]);
  expect(logged).toMatchObject([
    { message: 'message has too many hops', messageId: 'a', hops },
    { message: 'message has too many hops', messageId: 'b', hops },
  ]);
});

it.each(['fan-out-events', 'no such worker'])('%s, which reads no queue, is refused', (id) =>
  expect(() => queueWorker(id as QueueWorkerId, z.object(), async () => {})).toThrow(`No worker '${id}' reads a queue`),
);
