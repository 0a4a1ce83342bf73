import { signedCall } from '../clients/signed-call.ts';
import { type AnyQueue, queueUrl } from './queue-url.ts';

/** `send` without the client of the SDK, for the functions that visitors wait for; none of them handles a message, so there are no hops. */
export const quickSend = async (queue: AnyQueue, message: object, groupId: string): Promise<void> => {
  await signedCall('sqs', 'SendMessage', {
    QueueUrl: queueUrl(queue),
    MessageBody: JSON.stringify(message),
    MessageGroupId: groupId,
  });
};
