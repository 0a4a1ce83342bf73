import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { holdBackUntilAdmitted } from '../clients/admission.ts';
import { waitForConnection } from '../clients/connections.ts';
import { requestHandler } from '../clients/request-handler.ts';
import { messageAttributes } from './message-attributes.ts';
import { type AnyQueue, queueUrl } from './queue-url.ts';

export const queues = new SQSClient({ maxAttempts: 5, useQueueUrlAsEndpoint: false, requestHandler });
holdBackUntilAdmitted(queues.middlewareStack, () => false);
waitForConnection(queues.middlewareStack);

/** `delaySeconds` is at most 900. `groupId` keeps one tenant's backlog from delaying the others (fair queues). */
export const send = async (queue: AnyQueue, message: object, groupId: string, delaySeconds?: number): Promise<void> => {
  await queues.send(
    new SendMessageCommand({
      QueueUrl: queueUrl(queue),
      MessageBody: JSON.stringify(message),
      MessageGroupId: groupId,
      ...messageAttributes(queue),
      ...(delaySeconds !== undefined && { DelaySeconds: delaySeconds }),
    }),
  );
};
