import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import { queues } from '../../shared/platform/queue/send.ts';

/** While a dead letter is worked on, and until all have been looked at, nobody else receives it. */
const heldSeconds = 900;
/** 10,000 dead letters of a worker in one run; whoever has more runs it again. */
const maxRounds = 1000;

/** Dead letters of a queue, up to ten at a time, until none is left that was not received before. */
export async function* receiveDeadLetters(QueueUrl: string): AsyncGenerator<Message[]> {
  const seen = new Set<string | undefined>();
  for (let round = 0; round < maxRounds; round++) {
    const { Messages: received = [] } = await queues.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: heldSeconds,
        // Without waiting, SQS asks only some of its servers and may find nothing.
        WaitTimeSeconds: 1,
        MessageSystemAttributeNames: ['MessageGroupId', 'SentTimestamp'],
      }),
    );
    const letters = received.filter(({ MessageId }) => !seen.has(MessageId));
    if (letters.length === 0) return;
    for (const { MessageId } of letters) seen.add(MessageId);
    yield letters;
  }
}

const entriesOf = (letters: readonly Message[]) =>
  letters.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));

/** Deletes up to ten dead letters. */
export const deleteDeadLetters = async (QueueUrl: string, letters: readonly Message[]): Promise<void> => {
  if (letters.length === 0) return;
  await queues.send(new DeleteMessageBatchCommand({ QueueUrl, Entries: entriesOf(letters) }));
};

/** Lets others receive dead letters again. One that was held for too long is there already. */
export const releaseDeadLetters = async (QueueUrl: string, letters: readonly Message[]): Promise<void> => {
  for (let start = 0; start < letters.length; start += 10)
    await queues.send(
      new ChangeMessageVisibilityBatchCommand({
        QueueUrl,
        // The embedded SQS loses a message that is to be there at once, until its next start.
        Entries: entriesOf(letters.slice(start, start + 10)).map((entry) => ({ ...entry, VisibilityTimeout: 1 })),
      }),
    );
};
