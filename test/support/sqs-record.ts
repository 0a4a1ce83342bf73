import type { SQSRecord } from 'aws-lambda';

type Message = Pick<SQSRecord, 'messageId' | 'body'> & Partial<SQSRecord>;

/** A message as a function gets it from its queue: received once, unless `attributes` say otherwise. */
export const sqsRecord = (message: Message, attributes: Partial<SQSRecord['attributes']> = {}): SQSRecord => ({
  receiptHandle: 'handle',
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:queue',
  awsRegion: 'us-east-1',
  ...message,
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '0',
    SenderId: 'me',
    ApproximateFirstReceiveTimestamp: '0',
    ...attributes,
  },
});
