import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSHandler, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { deadLettersVariable, hopLimitOf } from '../../contract/loops.ts';
import { type QueueWorkerId, type Worker, workers } from '../../contract/workers.ts';
import { hopsOf, whileHandling } from './hops.ts';
import { queues } from './send.ts';

const everyWorker: readonly Worker[] = workers;

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

/** Without hops: when it is redriven, it begins a new chain. */
const giveUp = async ({ messageId, body, attributes }: SQSRecord, hops: number): Promise<void> => {
  console.error(JSON.stringify({ level: 'ERROR', message: 'message has too many hops', messageId, hops }));
  await queues.send(
    new SendMessageCommand({
      QueueUrl: process.env[deadLettersVariable],
      MessageBody: body,
      ...(attributes.MessageGroupId && { MessageGroupId: attributes.MessageGroupId }),
    }),
  );
};

/** `handle` must be idempotent. Only failed messages return; one beyond `maximumHops` becomes a dead letter. */
export const queueWorker = <Schema extends z.ZodType>(
  id: QueueWorkerId,
  schema: Schema,
  handle: (message: z.output<Schema>) => Promise<void>,
): SQSHandler => {
  const worker = everyWorker.find((one) => one.id === id);
  if (worker?.trigger.kind !== 'queue') throw new Error(`No worker '${id}' reads a queue`);
  const { queue } = worker.trigger;
  const hopLimit = hopLimitOf(worker) ?? Number.POSITIVE_INFINITY;
  const processor = new BatchProcessor(EventType.SQS);
  const handleRecord = async (record: SQSRecord): Promise<void> => {
    const hops = hopsOf(record);
    try {
      if (hops >= hopLimit) await giveUp(record, hops);
      else await whileHandling({ queue, hops }, async () => handle(schema.parse(JSON.parse(record.body))));
    } catch (error) {
      logFailure(record, error);
      throw error;
    }
  };
  return (event: SQSEvent, context) =>
    processPartialResponse(event, handleRecord, processor, { context, throwOnFullBatchFailure: false });
};
