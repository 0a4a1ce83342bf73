import type { DynamoDBStreamHandler } from 'aws-lambda';
import { fanOut } from '../shared/webhooks/fan-out/fan-out.ts';

/** Reports the first change that failed: the stream goes on from there, and every change after it comes again. */
export const handler: DynamoDBStreamHandler = async ({ Records }) => {
  const failed = await fanOut(Records, () => new Date());
  const itemIdentifier = failed?.dynamodb?.SequenceNumber;
  if (failed && !itemIdentifier) throw new Error('A change of the stream has no sequence number');
  return { batchItemFailures: itemIdentifier ? [{ itemIdentifier }] : [] };
};
