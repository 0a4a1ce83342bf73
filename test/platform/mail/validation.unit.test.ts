import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { beforeEach, expect, it, vi } from 'vitest';
import { handler } from '../../../functions/mail-feedback.ts';

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
});

const record = (messageId: string, body: string): SQSRecord => ({
  messageId,
  receiptHandle: 'handle',
  body,
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '0',
    SenderId: 'sns',
    ApproximateFirstReceiveTimestamp: '0',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:mail-feedback',
  awsRegion: 'us-east-1',
});

it('the text with which SES validates its topic is taken, and any other that is no feedback comes back', async () => {
  const text = 'Successfully validated SNS topic for Amazon SES event publishing.';
  const bodies = { validation: text, longer: `${text} Or not.`, quoted: JSON.stringify(text), other: 'Hello' };
  const event: SQSEvent = { Records: Object.entries(bodies).map(([id, body]) => record(id, body)) };
  const response = await handler(event, { getRemainingTimeInMillis: () => 1000 } as Context, () => {});
  expect(response).toEqual({
    batchItemFailures: ['longer', 'quoted', 'other'].map((itemIdentifier) => ({ itemIdentifier })),
  });
});
