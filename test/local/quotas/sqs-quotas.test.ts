import { expect, test } from 'vitest';
import { sqsQuotaError } from '../../../infra/local/quotas/sqs-quotas.ts';

const limit = 256 * 1024;
const typeOf = (operation: string, body: object) => sqsQuotaError(operation, body)?.type;

test('a message has 256 KB at most, of its body and its attributes together, in bytes', () => {
  const send = (body: object) => typeOf('SendMessage', body);
  expect(send({ MessageBody: 'x'.repeat(limit) })).toBeUndefined();
  expect(send({ MessageBody: 'x'.repeat(limit + 1) })).toBe('InvalidParameterValue');
  expect(send({ MessageBody: 'é'.repeat(limit / 2 + 1) })).toBe('InvalidParameterValue');
  const attribute = { name: { DataType: 'String', StringValue: 'value' } };
  const bytes = 'name'.length + 'String'.length + 'value'.length;
  expect(send({ MessageBody: 'x'.repeat(limit - bytes), MessageAttributes: attribute })).toBeUndefined();
  expect(send({ MessageBody: 'x'.repeat(limit - bytes + 1), MessageAttributes: attribute })).toBe(
    'InvalidParameterValue',
  );
});

test('the messages of a batch have 256 KB together, and are 10 at most', () => {
  const batch = (count: number, size: number) =>
    typeOf('SendMessageBatch', { Entries: Array.from({ length: count }, () => ({ MessageBody: 'x'.repeat(size) })) });
  expect(batch(10, Math.floor(limit / 10))).toBeUndefined();
  expect(batch(10, Math.floor(limit / 10) + 1)).toBe('BatchRequestTooLong');
  expect(batch(11, 1)).toBe('TooManyEntriesInBatchRequest');
});

test('a delay is 900 seconds at most', () => {
  expect(typeOf('SendMessage', { MessageBody: 'x', DelaySeconds: 900 })).toBeUndefined();
  expect(typeOf('SendMessage', { MessageBody: 'x', DelaySeconds: 901 })).toBe('InvalidParameterValue');
  const entries = [{ MessageBody: 'x' }, { MessageBody: 'x', DelaySeconds: 901 }];
  expect(typeOf('SendMessageBatch', { Entries: entries })).toBe('InvalidParameterValue');
});

test('other operations have no messages to look at', () => {
  expect(typeOf('ReceiveMessage', { MaxNumberOfMessages: 10 })).toBeUndefined();
  expect(typeOf('DeleteMessageBatch', { Entries: Array.from({ length: 11 }, () => ({})) })).toBeUndefined();
});
