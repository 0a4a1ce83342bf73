import type { Context, SQSEvent } from 'aws-lambda';
import { beforeEach, expect, it, vi } from 'vitest';
import { handler } from '../../../functions/mail-feedback.ts';
import { sqsRecord } from '../../support/sqs-record.ts';

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
});

const record = (messageId: string, body: string) => sqsRecord({ messageId, body });

it('the text with which SES validates its topic is taken, and any other that is no feedback comes back', async () => {
  const text = 'Successfully validated SNS topic for Amazon SES event publishing.';
  const bodies = { validation: text, longer: `${text} Or not.`, quoted: JSON.stringify(text), other: 'Hello' };
  const event: SQSEvent = { Records: Object.entries(bodies).map(([id, body]) => record(id, body)) };
  const response = await handler(event, { getRemainingTimeInMillis: () => 1000 } as Context, () => {});
  expect(response).toEqual({
    batchItemFailures: ['longer', 'quoted', 'other'].map((itemIdentifier) => ({ itemIdentifier })),
  });
});
