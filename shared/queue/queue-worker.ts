import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { SQSEvent, SQSHandler, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';

const logFailure = (record: SQSRecord, error: unknown): void =>
  console.error(
    JSON.stringify({
      level: 'ERROR',
      message: 'message failed',
      messageId: record.messageId,
      receives: record.attributes.ApproximateReceiveCount,
      error: error instanceof Error ? error.stack : String(error),
    }),
  );

/**
 * The Lambda of a queue: each message is parsed by its schema and handled on its own, and only those that failed come
 * again. A message may come twice, so `handle` is idempotent.
 */
export const queueWorker = <Schema extends z.ZodType>(
  schema: Schema,
  handle: (message: z.output<Schema>) => Promise<void>,
): SQSHandler => {
  const processor = new BatchProcessor(EventType.SQS);
  const handleRecord = async (record: SQSRecord): Promise<void> => {
    try {
      await handle(schema.parse(JSON.parse(record.body)));
    } catch (error) {
      logFailure(record, error);
      throw error;
    }
  };
  return (event: SQSEvent, context) =>
    processPartialResponse(event, handleRecord, processor, { context, throwOnFullBatchFailure: false });
};
