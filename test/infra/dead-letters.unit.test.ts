import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
} from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { discardDeadLetter } from '../../infra/admin/discard.ts';
import { redriveDeadLetters, redriveWatched } from '../../infra/admin/redrive.ts';
import { workerOutputs } from '../../infra/constructs/worker-outputs.ts';
import { workers } from '../../shared/contract/workers.ts';
import { queues } from '../../shared/platform/queue/send.ts';

interface Letter {
  id: string;
  body: string;
  isHeld: boolean;
}

const outputs = Object.fromEntries(
  workers.flatMap((worker) => Object.values(workerOutputs(worker)).map((name) => [name, `queue:${name}`])),
);
const scheduled = workers.filter(({ trigger }) => trigger.kind === 'schedule');
const ofStreams = workers.filter(({ trigger }) => trigger.kind === 'stream');
const ofDelivery = 'queue:DeliverWebhookDeadLettersUrl';
let deadLettersUrl: string;
let sentTo: (string | undefined)[];
let letters: Letter[];
let sent: string[];
let afterSend: () => void;
let folder: string;

/** One queue of dead letters; all others are empty. */
const respond = (command: unknown): object => {
  if (command instanceof ReceiveMessageCommand) {
    if (command.input.QueueUrl !== deadLettersUrl) return {};
    const free = letters.filter(({ isHeld }) => !isHeld).slice(0, 10);
    for (const letter of free) letter.isHeld = true;
    return {
      Messages: free.map(({ id, body }) => ({
        MessageId: id,
        ReceiptHandle: id,
        Body: body,
        Attributes: { SentTimestamp: '1790000000000' },
      })),
    };
  }
  const ids = (entries: readonly { ReceiptHandle?: string | undefined }[] | undefined) =>
    entries?.map(({ ReceiptHandle }) => ReceiptHandle) ?? [];
  if (command instanceof DeleteMessageBatchCommand) {
    const deleted = ids(command.input.Entries);
    letters = letters.filter(({ id }) => !deleted.includes(id));
  } else if (command instanceof ChangeMessageVisibilityBatchCommand) {
    const released = ids(command.input.Entries);
    for (const letter of letters) if (released.includes(letter.id)) letter.isHeld = false;
  } else if (command instanceof SendMessageBatchCommand) {
    sentTo.push(command.input.QueueUrl);
    sent.push(...(command.input.Entries ?? []).map(({ MessageBody = '' }) => MessageBody));
    afterSend();
  }
  return {};
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dead-letters-'));
  letters = Array.from({ length: 25 }, (_, at) => ({ id: `id-${at}`, body: `letter ${at}`, isHeld: false }));
  sent = [];
  sentTo = [];
  deadLettersUrl = ofDelivery;
  afterSend = () => {};
  vi.spyOn(queues, 'send').mockImplementation((async (command: unknown) => respond(command)) as typeof queues.send);
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
  rmSync(folder, { recursive: true });
});

describe('a redrive', () => {
  it('tells its progress after each step', async () => {
    const told: string[] = [];
    const result = await redriveDeadLetters(outputs, {
      onProgress: (workerId, { redriven }) => void told.push(`${workerId} ${redriven}`),
    });
    expect(told).toEqual(['deliver-webhook 10', 'deliver-webhook 20', 'deliver-webhook 25']);
    expect(result['deliver-webhook']).toEqual({ redriven: 25, expired: 0, failed: 0 });
    expect(letters).toEqual([]);
  });

  it.each(scheduled)('runs $id again: its letters go back to its queue, as they are', async (worker) => {
    const names = workerOutputs(worker);
    deadLettersUrl = `queue:${names.deadLettersUrl}`;
    letters = [{ id: 'one', body: '{"time":"2026-11-23T03:20:00Z"}', isHeld: false }];
    const result = await redriveDeadLetters(outputs);
    expect(result[worker.id]).toEqual({ redriven: 1, expired: 0, failed: 0 });
    expect([sent, sentTo]).toEqual([['{"time":"2026-11-23T03:20:00Z"}'], [`queue:${names.queueUrl}`]]);
    expect(letters).toEqual([]);
  });

  it.each(ofStreams)('of $id keeps a letter whose work fails again, and holds it no longer', async (worker) => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    deadLettersUrl = `queue:${workerOutputs(worker).deadLettersUrl}`;
    letters = [{ id: 'one', body: '{"neither":"a range nor a change"}', isHeld: false }];
    const result = await redriveDeadLetters(outputs);
    expect(result[worker.id]).toEqual({ redriven: 0, expired: 0, failed: 1 });
    expect(letters).toEqual([{ id: 'one', body: '{"neither":"a range nor a change"}', isHeld: false }]);
  });

  it('that is interrupted ends after its step, says what was redriven, and holds no other letter', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    afterSend = () => void process.emit('SIGINT');
    const listeners = process.listenerCount('SIGINT');
    const result = await redriveWatched(outputs);
    expect(result).toMatchObject({ interrupted: true, 'deliver-webhook': { redriven: 10, expired: 0, failed: 0 } });
    expect(process.exitCode).toBe(130);
    expect(sent).toHaveLength(10);
    expect(letters).toHaveLength(15);
    expect(letters.filter(({ isHeld }) => isHeld)).toEqual([]);
    expect(said.mock.calls.flat()).toEqual([
      expect.stringContaining('Stopping after the letters'),
      'deliver-webhook: 10 redriven, 0 expired, 0 failed',
    ]);
    expect(process.listenerCount('SIGINT')).toBe(listeners);
  });
});

describe('discarding a dead letter', () => {
  const discard = (changed: object = {}) =>
    discardDeadLetter(outputs, {
      worker: 'deliver-webhook',
      messageId: 'id-13',
      reason: 'expired',
      record: join(folder, 'discarded.jsonl'),
      ...changed,
    });
  const isWhole = () => {
    expect(letters).toHaveLength(25);
    expect(letters.filter(({ isHeld }) => isHeld)).toEqual([]);
  };

  it('deletes that one, keeps a record of it that only the operator reads, and holds no other', async () => {
    const outcome = await discard();
    expect(letters.map(({ id }) => id)).not.toContain('id-13');
    expect(letters).toHaveLength(24);
    expect(letters.filter(({ isHeld }) => isHeld)).toEqual([]);
    const file = join(folder, 'discarded.jsonl');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const recorded = JSON.parse(readFileSync(file, 'utf8'));
    expect(recorded).toEqual({
      discardedAt: expect.any(String),
      discardedBy: expect.any(String),
      reason: 'expired',
      worker: 'deliver-webhook',
      messageId: 'id-13',
      sentAt: '2026-09-21T14:13:20.000Z',
      body: 'letter 13',
    });
    const { body: _body, ...said } = recorded;
    expect(outcome).toEqual({ ...said, record: file });
    await discard({ messageId: 'id-2' });
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(3);
  });

  it('that is not there is an error, and all others stay', async () => {
    await expect(discard({ messageId: 'id-99' })).rejects.toThrow('deliver-webhook has no dead letter id-99');
    isWhole();
  });

  it('of a worker that does not exist names those that do', async () => {
    await expect(discard({ worker: 'nobody' })).rejects.toThrow('fan-out-events, deliver-webhook');
  });

  it('without a record is not done: the letter is there again', async () => {
    await expect(discard({ record: join(folder, 'none', 'file') })).rejects.toThrow('ENOENT');
    isWhole();
    writeFileSync(join(folder, 'other'), '');
    symlinkSync(join(folder, 'other'), join(folder, 'link'));
    await expect(discard({ record: join(folder, 'link') })).rejects.toThrow('ELOOP');
    isWhole();
    expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('');
  });
});
