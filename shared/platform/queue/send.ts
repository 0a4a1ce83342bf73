import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type QueueName, queueUrlVariable } from '../../contract/needs.ts';
import { requestHandler } from '../clients/request-handler.ts';
import { hopAttributes } from './hops.ts';

/** The one connection of a Lambda to SQS. */
export const queues = new SQSClient({ maxAttempts: 5, useQueueUrlAsEndpoint: false, requestHandler });

/** The address of a queue, from the environment that its `send` permission brings. */
export const queueUrl = (queue: QueueName): string => {
  const url = process.env[queueUrlVariable(queue)];
  if (!url) throw new Error(`The environment variable ${queueUrlVariable(queue)} is not set`);
  return url;
};

/**
 * Sends one message, which comes after `delaySeconds` (at most 900) where they are given. `groupId` keeps one tenant's
 * or endpoint's backlog from delaying the others (fair queues).
 */
export const send = async (
  queue: QueueName,
  message: object,
  groupId: string,
  delaySeconds?: number,
): Promise<void> => {
  await queues.send(
    new SendMessageCommand({
      QueueUrl: queueUrl(queue),
      MessageBody: JSON.stringify(message),
      MessageGroupId: groupId,
      ...hopAttributes(queue),
      ...(delaySeconds !== undefined && { DelaySeconds: delaySeconds }),
    }),
  );
};
