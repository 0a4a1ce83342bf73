import type { Context, SQSEvent, SQSHandler } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { queueUrlVariable } from '../../shared/contract/needs.ts';
import { queueOf } from '../../shared/contract/worker.ts';
import { type Worker, workers } from '../../shared/contract/workers.ts';
import { type ScheduledRun, scheduledWorker } from '../../shared/platform/queue/scheduled-worker.ts';
import { queues } from '../../shared/platform/queue/send.ts';

const everyWorker: readonly Worker[] = workers;
const scheduled = everyWorker.filter(({ trigger }) => trigger.kind === 'schedule');
const id = 'repair-tokens';
const time = '2026-11-23T03:20:00Z';
const sent: { [name: string]: unknown }[] = [];

beforeEach(() => {
  sent.length = 0;
  vi.stubEnv(queueUrlVariable(id), 'https://queues/own');
  vi.stubEnv('DEAD_LETTERS_URL', 'https://queues/dead-letters');
  vi.spyOn(console, 'error').mockImplementation(() => {});
  vi.spyOn(queues, 'send').mockImplementation((async ({ input }: { input: object }) => {
    sent.push({ ...input });
  }) as typeof queues.send);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const run = async (body: object, handle: (run: ScheduledRun) => Promise<void>, hops?: number) => {
  const messageAttributes = hops === undefined ? {} : { hops: { dataType: 'Number', stringValue: String(hops) } };
  const attributes = { ApproximateReceiveCount: '1' };
  const record = { messageId: 'm', body: JSON.stringify(body), attributes, messageAttributes };
  const context = { getRemainingTimeInMillis: () => 1000 } as Context;
  return scheduledWorker(id, handle)({ Records: [record] } as unknown as SQSEvent, context, () => {});
};
const failed = { batchItemFailures: [{ itemIdentifier: 'm' }] };

describe('a scheduled worker', () => {
  it('is told when it was to start, and where it was', async () => {
    const runs: Partial<ScheduledRun>[] = [];
    const keep = async ({ leave: _, ...told }: ScheduledRun) => void runs.push(told);
    await run({ time }, keep);
    await run({ time, after: 'p1' }, keep);
    await run({ time, programId: 'p2' }, keep);
    const at = new Date(time);
    expect(runs).toEqual([
      { time: at, after: undefined, programId: undefined },
      { time: at, after: 'p1', programId: undefined },
      { time: at, after: undefined, programId: 'p2' },
    ]);
  });

  it('leaves work to messages of its own queue, with the time that it was to start at', async () => {
    await run({ time }, async ({ leave }) => {
      await leave({ after: 'p1' });
      await leave({ programId: 'p2' });
    });
    expect(sent.map(({ QueueUrl, MessageBody, MessageGroupId }) => [QueueUrl, MessageBody, MessageGroupId])).toEqual([
      ['https://queues/own', JSON.stringify({ time: '2026-11-23T03:20:00Z', after: 'p1' }), id],
      ['https://queues/own', JSON.stringify({ time: '2026-11-23T03:20:00Z', programId: 'p2' }), 'p2'],
    ]);
  });

  it('counts the messages of its chain, and gives up one that has too many', async () => {
    await run({ time, after: 'p1' }, ({ leave }) => leave({ after: 'p2' }), 41);
    expect(sent).toMatchObject([{ MessageAttributes: { hops: { StringValue: '42' } } }]);
    const handle = vi.fn();
    const worker = scheduled.find((one) => one.id === id);
    const limit = worker && queueOf(worker)?.maximumHops;
    await run({ time, after: 'p1' }, handle, limit);
    expect(handle).not.toHaveBeenCalled();
    expect(sent.at(-1)).toMatchObject({ QueueUrl: 'https://queues/dead-letters' });
  });

  it('returns a message that failed, or that is not of a schedule', async () => {
    const broken = async () => {
      throw new Error('broken');
    };
    expect(await run({ time }, broken)).toEqual(failed);
    expect(await run({ time: 'tonight' }, async () => {})).toEqual(failed);
    expect(await run({ time, program: 'p' }, async () => {})).toEqual(failed);
  });
});

describe.each(scheduled)('the file of $id', (worker) => {
  it('exports the handler of its messages', async () => {
    const { handler }: { handler: SQSHandler } = await import(`../../functions/${worker.id}.ts`);
    const attributes = { ApproximateReceiveCount: '1' };
    const record = { messageId: 'm', body: '{}', attributes, messageAttributes: {} };
    const context = { getRemainingTimeInMillis: () => 1000 } as Context;
    expect(await handler({ Records: [record] } as unknown as SQSEvent, context, () => {})).toEqual(failed);
  });
});
