import { gunzipSync, gzipSync } from 'node:zlib';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod';
import { ApiError } from '../../contract/errors.ts';
import { deadLettersVariable } from '../../contract/loops.ts';
import { logError } from '../logs/log.ts';
import { cancellationReasonsOf } from '../table/retry-transient.ts';
import { queues } from './send.ts';

/** A change that no retry would help, as a dead letter. */
export const SetAsideLetter = z.object({
  setAside: z.object({
    streamArn: z.string(),
    eventId: z.string(),
    sequenceNumber: z.string(),
    keys: z.unknown(),
    reason: z.string(),
    /** Gzipped JSON in base64; null if it is too large for a message. */
    record: z.string().nullable(),
  }),
});

/** An SQS message holds 256 KB. */
const maxRecordCharacters = 240 * 1024;
const maxReasonCharacters = 500;

const hasMetadata = (error: Error): boolean => '$metadata' in error || '$fault' in error;

/** True if a retry would fail again: the cause is data or code, not a service. */
export const isDeterministic = (error: unknown): boolean => {
  if (!(error instanceof Error) || error.name === 'ValidationException') return true;
  const reasons = cancellationReasonsOf(error).map(({ Code }) => Code);
  if (reasons.length > 0) return reasons.includes('ValidationError');
  const isServiceFault = hasMetadata(error) || 'code' in error || error.name === 'TimeoutError';
  return error instanceof ApiError ? error.status < 500 : !isServiceFault;
};

/** False if the letter could not be sent, so the change must come again. */
export const setAside = async (change: DynamoDBRecord, error: unknown): Promise<boolean> => {
  const url = process.env[deadLettersVariable];
  if (!url) return false;
  const record = gzipSync(JSON.stringify(change)).toString('base64');
  const letter: z.input<typeof SetAsideLetter> = {
    setAside: {
      streamArn: change.eventSourceARN ?? '',
      eventId: change.eventID ?? '',
      sequenceNumber: change.dynamodb?.SequenceNumber ?? '',
      keys: change.dynamodb?.Keys,
      reason: String(error).slice(0, maxReasonCharacters),
      record: record.length > maxRecordCharacters ? null : record,
    },
  };
  try {
    await queues.send(new SendMessageCommand({ QueueUrl: url, MessageBody: JSON.stringify(letter) }));
    return true;
  } catch (sendError) {
    logError('change not set aside', sendError);
    return false;
  }
};

export const changeSetAside = ({ setAside: { record } }: z.infer<typeof SetAsideLetter>): DynamoDBRecord | undefined =>
  record === null ? undefined : JSON.parse(gunzipSync(Buffer.from(record, 'base64')).toString());
