import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { actorText } from '../../contract/actor.ts';
import type { QueueWorkerId } from '../../contract/workers.ts';
import { logError } from '../logs/log.ts';
import { withActor } from '../table/actor.ts';

export interface InBatch<Message> {
  readonly at: number;
  readonly message: Message;
}

const parsed = <Schema extends z.ZodType>(
  schema: Schema,
  { body, messageId }: SQSRecord,
): z.output<Schema> | undefined => {
  try {
    return schema.parse(JSON.parse(body));
  } catch (error) {
    logError('message failed', error, { messageId });
    return undefined;
  }
};

/**
 * For messages that cost less together. `handle` returns the places of those that failed, which come back alone; if it throws,
 * all of them do. It must expect a message twice, in any company.
 */
export const batchWorker =
  <Schema extends z.ZodType>(
    id: QueueWorkerId,
    schema: Schema,
    handle: (messages: readonly InBatch<z.output<Schema>>[]) => Promise<ReadonlySet<number>>,
  ) =>
  async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const all = Records.map((record, at) => ({ at, message: parsed(schema, record) }));
    const readable = all.filter((one): one is InBatch<z.output<Schema>> => one.message !== undefined);
    const failed = await withActor(actorText({ type: 'SYSTEM', id }), () => handle(readable));
    const isFailed = ({ at, message }: (typeof all)[number]) => message === undefined || failed.has(at);
    return {
      batchItemFailures: all.filter(isFailed).map(({ at }) => ({ itemIdentifier: Records[at]?.messageId ?? '' })),
    };
  };
