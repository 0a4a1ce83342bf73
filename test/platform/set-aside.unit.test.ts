import { randomBytes } from 'node:crypto';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { EventTooLarge } from '../../events/family.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import { queues } from '../../shared/platform/queue/send.ts';
import { changeSetAside, isDeterministic, SetAsideLetter, setAside } from '../../shared/platform/queue/set-aside.ts';
import { cancelled, named } from '../support/stubbed-table.ts';

const change = (text: string): DynamoDBRecord => ({
  eventID: 'e1',
  eventSourceARN: 'arn:aws:dynamodb:us-east-1:000000000000:table/records/stream/1',
  dynamodb: { SequenceNumber: '7', Keys: { pk: { S: 'a' }, sk: { S: 'b' } }, NewImage: { note: { S: text } } },
});

/** What was sent to the dead-letter queue. */
const sent: string[] = [];

beforeEach(() => {
  sent.length = 0;
  vi.stubEnv('DEAD_LETTERS_URL', 'https://sqs.example.com/letters');
  vi.spyOn(queues, 'send').mockImplementation(async ({ input }: { input: object }) => {
    sent.push('MessageBody' in input ? String(input.MessageBody) : '');
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe('a change that fails', () => {
  it.each([
    ['a record out of shape', z.object({ id: z.string() }).safeParse({}).error],
    ['an event that is too large', new EventTooLarge('too large')],
    ['an item that is too large', named('ValidationException', { $metadata: {} })],
    ['a transaction with such an item', cancelled('None', 'ValidationError')],
    ['a fault in our code', new TypeError('undefined is not a function')],
    ['a record that is gone', new ApiError('not_found')],
    ['what is thrown and no error', 'a text'],
    ['a cancelled transaction with such an item and a conflict', cancelled('TransactionConflict', 'ValidationError')],
  ])('for %s is set aside at once', (_, error) => {
    expect(isDeterministic(error)).toBe(true);
  });

  it.each([
    ['throttling', named('ThrottlingException', { $metadata: {} })],
    ['a conflict', cancelled('TransactionConflict')],
    ['a conflict that lasted', new ApiError('unavailable')],
    ['our own failure', new ApiError('internal')],
    ['a failure of a service', named('InternalServerError', { $fault: 'server' })],
    ['a missing permission', named('AccessDeniedException', { $metadata: {} })],
    ['a broken connection', named('Error', { code: 'ECONNRESET' })],
    ['a timeout', named('TimeoutError')],
  ])('for %s comes again', (_, error) => {
    expect(isDeterministic(error)).toBe(false);
  });
});

describe('a dead letter about one change', () => {
  it('holds the change, so that it can be worked on when the stream has forgotten it', async () => {
    expect(await setAside(change('Zoë'), new Error('no coupon'))).toBe(true);
    const letter = SetAsideLetter.parse(JSON.parse(sent[0] ?? ''));
    expect(letter.setAside).toMatchObject({ eventId: 'e1', sequenceNumber: '7', reason: 'Error: no coupon' });
    expect(changeSetAside(letter)).toEqual(change('Zoë'));
    expect(letter.setAside).toMatchObject({ streamArn: change('').eventSourceARN, keys: change('').dynamodb?.Keys });
    expect(queues.send).toHaveBeenCalledWith(
      expect.objectContaining({ input: expect.objectContaining({ QueueUrl: 'https://sqs.example.com/letters' }) }),
    );
  });

  it('is written of a change that says nothing of itself', async () => {
    expect(await setAside({}, 'no')).toBe(true);
    const { setAside: written } = JSON.parse(sent[0] ?? '');
    expect(written).toMatchObject({ streamArn: '', eventId: '', sequenceNumber: '', reason: 'no' });
  });

  it('is read only if it is one', () => {
    expect(() => SetAsideLetter.parse({})).toThrow();
    expect(() => SetAsideLetter.parse({ setAside: {} })).toThrow();
  });

  it('has the first 500 characters of the reason', async () => {
    await setAside(change(''), new Error('x'.repeat(10_000)));
    expect(SetAsideLetter.parse(JSON.parse(sent[0] ?? '')).setAside.reason).toBe(`Error: ${'x'.repeat(493)}`);
  });

  it('holds a change of 200 KB that cannot be compressed', async () => {
    await setAside(change(randomBytes(150 * 1024).toString('base64')), new Error('x'));
    expect(SetAsideLetter.parse(JSON.parse(sent[0] ?? '')).setAside.record).not.toBeNull();
  });

  it('fits in a message however large the change and its error are', async () => {
    expect(await setAside(change(randomBytes(400 * 1024).toString('base64')), new Error('x'.repeat(10_000)))).toBe(
      true,
    );
    expect(Buffer.byteLength(sent[0] ?? '')).toBeLessThan(256 * 1024);
    const letter = SetAsideLetter.parse(JSON.parse(sent[0] ?? ''));
    expect(letter.setAside).toMatchObject({ sequenceNumber: '7', record: null });
    expect(changeSetAside(letter)).toBeUndefined();
  });

  it('is not lost where it cannot be sent: the change comes again', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    vi.mocked(queues.send).mockRejectedValue(new Error('down'));
    expect(await setAside(change(''), new Error('x'))).toBe(false);
    expect(console.error).toHaveBeenCalledWith(expect.stringContaining('change not set aside'));
  });

  it('is none where no queue for dead letters is named: the change comes again', async () => {
    vi.stubEnv('DEAD_LETTERS_URL', '');
    expect(await setAside(change(''), new Error('x'))).toBe(false);
    expect(queues.send).not.toHaveBeenCalled();
  });
});
