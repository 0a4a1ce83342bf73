import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type QueueName, queueUrlVariable } from '../../contract/needs.ts';
import type { ScheduledWorkerId } from '../../contract/workers.ts';
import { holdBackUntilAdmitted } from '../clients/admission.ts';
import { waitForConnection } from '../clients/connections.ts';
import { requestHandler } from '../clients/request-handler.ts';
import { hopAttributes } from './hops.ts';

export const queues = new SQSClient({ maxAttempts: 5, useQueueUrlAsEndpoint: false, requestHandler });
holdBackUntilAdmitted(queues.middlewareStack, () => false);
waitForConnection(queues.middlewareStack);

type AnyQueue = QueueName | ScheduledWorkerId;

export const queueUrl = (queue: AnyQueue): string => {
  const url = process.env[queueUrlVariable(queue)];
  if (!url) throw new Error(`The environment variable ${queueUrlVariable(queue)} is not set`);
  return url;
};

/** `delaySeconds` is at most 900. `groupId` keeps one tenant's backlog from delaying the others (fair queues). */
export const send = async (queue: AnyQueue, message: object, groupId: string, delaySeconds?: number): Promise<void> => {
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
