import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSHandler, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { actorText } from '../../contract/actor.ts';
import { deadLettersVariable } from '../../contract/loops.ts';
import type { QueueWorkerId, ScheduledWorkerId } from '../../contract/workers.ts';
import { logError, logInfo } from '../logs/log.ts';
import { withActor } from '../table/actor.ts';
import { hopsOf, whileHandling } from './hops.ts';
import { attributesOf, causeOf } from './message-attributes.ts';
import { queues } from './send.ts';
import { workerQueues } from './worker-queues.at-build.ts';

/** Without hops: when it is redriven, it begins a new chain. */
const giveUp = async (record: SQSRecord, hops: number): Promise<void> => {
  const { messageId, body, attributes } = record;
  logError('message has too many hops', undefined, { messageId, hops });
  await queues.send(
    new SendMessageCommand({
      QueueUrl: process.env[deadLettersVariable],
      MessageBody: body,
      ...attributesOf(causeOf(record)),
      ...(attributes.MessageGroupId && { MessageGroupId: attributes.MessageGroupId }),
    }),
  );
};

/** `handle` must be idempotent. Only failed messages return; one beyond `maximumHops` becomes a dead letter. What `isIgnored` is taken and changes nothing. */
export const queueWorker = <Schema extends z.ZodType>(
  id: QueueWorkerId | ScheduledWorkerId,
  schema: Schema,
  handle: (message: z.output<Schema>) => Promise<void>,
  { isIgnored = () => false }: { isIgnored?: (body: string) => boolean } = {},
): SQSHandler => {
  const reads = workerQueues[id];
  if (!reads) throw new Error(`No worker '${id}' reads a queue`);
  const { name: queue, hopLimit = Number.POSITIVE_INFINITY } = reads;
  const processor = new BatchProcessor(EventType.SQS);
  const handleRecord = async (record: SQSRecord): Promise<void> => {
    const hops = hopsOf(record);
    try {
      if (hops >= hopLimit) await giveUp(record, hops);
      else
        await whileHandling({ queue, hops }, () =>
          withActor(
            actorText({ type: 'SYSTEM', id }),
            async () => {
              if (isIgnored(record.body)) logInfo('message ignored', { messageId: record.messageId });
              else await handle(schema.parse(JSON.parse(record.body)));
            },
            causeOf(record),
          ),
        );
    } catch (error) {
      const { messageId, attributes } = record;
      logError('message failed', error, { messageId, receives: attributes.ApproximateReceiveCount });
      throw error;
    }
  };
  return (event: SQSEvent, context) =>
    processPartialResponse(event, handleRecord, processor, { context, throwOnFullBatchFailure: false });
};
