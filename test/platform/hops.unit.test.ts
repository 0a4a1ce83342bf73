import type { Context, SQSBatchResponse, SQSEvent, SQSMessageAttributes } from 'aws-lambda';
import { beforeEach, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { hopLimitOf } from '../../shared/contract/loops.ts';
import { workers } from '../../shared/contract/workers.ts';
import { queueWorker } from '../../shared/platform/queue/queue-worker.ts';
import { queues, send } from '../../shared/platform/queue/send.ts';
import { sendBatch } from '../../shared/platform/queue/send-batch.ts';
import { sqsRecord } from '../support/sqs-record.ts';

const sent: Record<string, unknown>[] = [];

beforeEach(() => {
  sent.length = 0;
  vi.stubEnv('DELETIONS_QUEUE_URL', 'https://queues/deletions');
  vi.stubEnv('DELIVERIES_QUEUE_URL', 'https://queues/deliveries');
  vi.stubEnv('DEAD_LETTERS_URL', 'https://queues/dead-letters');
  vi.spyOn(queues, 'send').mockImplementation(async ({ input }: { input: object }) => {
    sent.push({ ...input });
    return {};
  });
  vi.spyOn(console, 'error').mockImplementation(() => {});
});

const eventWith = (...counts: (number | undefined)[]): SQSEvent => ({
  Records: counts.map((hops, at) => {
    const stringValue = String(hops);
    const messageAttributes: SQSMessageAttributes =
      hops === undefined
        ? {}
        : { hops: { dataType: 'Number', stringValue, stringListValues: [], binaryListValues: [] } };
    const message = { messageId: `message-${at}`, body: JSON.stringify({ at }), messageAttributes };
    return sqsRecord(message, { MessageGroupId: 'group' });
  }),
});

const run = async (event: SQSEvent, handle: (message: { at: number }) => Promise<void>): Promise<SQSBatchResponse> => {
  const response = await queueWorker('finish-deletion', z.object({ at: z.number() }), handle)(
    event,
    { getRemainingTimeInMillis: () => 1000 } as Context,
    () => {},
  );
  return response ?? { batchItemFailures: [] };
};

const hopsOfSent = ({ MessageAttributes }: Record<string, unknown>) => MessageAttributes;
const counted = (hops: number) => ({ hops: { DataType: 'Number', StringValue: String(hops) } });

it('what a message sends to its own queue has one hop more than the message, beside others in the same batch too', async () => {
  await run(eventWith(undefined, 7), ({ at }) => send('deletions', { from: at }, 'group', 1));
  expect(sent.sort((one, other) => String(one.MessageBody).localeCompare(String(other.MessageBody)))).toMatchObject([
    { MessageBody: '{"from":0}', MessageAttributes: counted(1), DelaySeconds: 1 },
    { MessageBody: '{"from":1}', MessageAttributes: counted(8) },
  ]);
});

it('the same holds for what is sent as a batch', async () => {
  await run(eventWith(3), async () => {
    await sendBatch('deletions', [
      { message: {}, groupId: 'group' },
      { message: {}, groupId: 'group' },
    ]);
  });
  const [{ Entries: entries } = {}] = sent;
  expect((entries as Record<string, unknown>[]).map(hopsOfSent)).toEqual([counted(4), counted(4)]);
});

it('a message that leads out of the loop, and one that is sent outside of a worker, begin a chain', async () => {
  await run(eventWith(3), () => send('deliveries', {}, 'group'));
  await send('deletions', {}, 'group');
  expect(sent.map(hopsOfSent)).toEqual([undefined, undefined]);
});

it('a message beyond the limit goes to the dead letters without its hops and is not handled, and the last before it is', async () => {
  const worker = workers.find(({ id }) => id === 'finish-deletion');
  const limit = (worker && hopLimitOf(worker)) ?? 0;
  const handle = vi.fn(async () => {});
  expect(await run(eventWith(limit, limit - 1), handle)).toEqual({ batchItemFailures: [] });
  expect(handle.mock.calls).toEqual([[{ at: 1 }]]);
  expect(sent).toEqual([{ QueueUrl: 'https://queues/dead-letters', MessageBody: '{"at":0}', MessageGroupId: 'group' }]);
  expect(console.error).toHaveBeenCalledWith(expect.stringContaining('message has too many hops'));
});

it('a message beyond the limit that the dead letters do not take stays in its queue', async () => {
  vi.mocked(queues.send).mockImplementation(async () => {
    throw new Error('no');
  });
  const beyond = eventWith(10_000_000);
  expect(await run(beyond, async () => {})).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-0' }] });
});
