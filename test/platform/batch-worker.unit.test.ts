import { expect, it, vi } from 'vitest';
import * as z from 'zod';
import { batchWorker } from '../../shared/platform/queue/batch-worker.ts';
import { currentWriter } from '../../shared/platform/table/actor.ts';
import { sqsRecord } from '../support/sqs-record.ts';

const record = (messageId: string, body: string) => sqsRecord({ messageId, body });

const records = [record('a', '{"at":1}'), record('b', 'no JSON'), record('c', '{"at":"3"}'), record('d', '{"at":4}')];

it('readable messages are handled together, as the worker; those that failed come back, and those that nobody can read', async () => {
  const logged: unknown[] = [];
  vi.spyOn(console, 'error').mockImplementation((line) => void logged.push(JSON.parse(String(line)).messageId));
  const handled: unknown[] = [];
  const handle = batchWorker('count-clicks', z.object({ at: z.number() }), async (messages) => {
    handled.push(messages, currentWriter()?.by);
    return new Set([3]);
  });
  expect(await handle({ Records: records })).toEqual({
    batchItemFailures: ['b', 'c', 'd'].map((itemIdentifier) => ({ itemIdentifier })),
  });
  expect(handled).toEqual([
    [
      { at: 0, message: { at: 1 } },
      { at: 3, message: { at: 4 } },
    ],
    'S:count-clicks',
  ]);
  expect(logged).toEqual(['b', 'c']);
});

it('where handling throws, all messages come back', async () => {
  const handle = batchWorker('count-clicks', z.object({ at: z.number() }), () => Promise.reject(new Error('failed')));
  await expect(handle({ Records: records.slice(0, 1) })).rejects.toThrow('failed');
});
