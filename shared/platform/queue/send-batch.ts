import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import type { QueueName } from '../../contract/needs.ts';
import { logError } from '../logs/log.ts';
import { messageAttributes } from './message-attributes.ts';
import { queueUrl } from './queue-url.ts';
import { queues } from './send.ts';

/** `groupId` keeps one tenant's backlog from delaying the others (fair queues). */
export interface Outgoing {
  message: object;
  groupId: string;
  delaySeconds?: number;
  /** The request that it follows from, if that is not the one that is being handled. */
  cause?: string | undefined;
}

const maxInOneCall = 10;

const sendTen = async (queue: QueueName, outgoing: readonly Outgoing[]): Promise<Outgoing[]> => {
  const response = await queues.send(
    new SendMessageBatchCommand({
      QueueUrl: queueUrl(queue),
      Entries: outgoing.map(({ message, groupId, delaySeconds, cause }, at) => ({
        Id: String(at),
        MessageBody: JSON.stringify(message),
        MessageGroupId: groupId,
        ...messageAttributes(queue, cause),
        ...(delaySeconds !== undefined && { DelaySeconds: delaySeconds }),
      })),
    }),
  );
  return (response.Failed ?? []).flatMap(({ Id }) => outgoing[Number(Id)] ?? []);
};

export const sendBatch = async (queue: QueueName, outgoing: readonly Outgoing[]): Promise<ReadonlySet<Outgoing>> => {
  const calls: Promise<Outgoing[]>[] = [];
  for (let start = 0; start < outgoing.length; start += maxInOneCall) {
    const part = outgoing.slice(start, start + maxInOneCall);
    calls.push(
      sendTen(queue, part).catch((error: unknown) => {
        logError('messages not sent', error, { queue });
        return part;
      }),
    );
  }
  return new Set((await Promise.all(calls)).flat());
};
