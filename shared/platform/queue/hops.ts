import { AsyncLocalStorage } from 'node:async_hooks';
import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { leadsTo } from '../../contract/loops.ts';
import type { QueueName } from '../../contract/needs.ts';

/** The message that is being handled: its queue, and how many messages of its chain were handled before it. */
interface Handled {
  queue: QueueName;
  hops: number;
}

const attributeName = 'hops';
const handled = new AsyncLocalStorage<Handled>();

/** How many messages of its chain were handled before this one. */
export const hopsOf = ({ messageAttributes }: Pick<SQSRecord, 'messageAttributes'>): number =>
  Number(messageAttributes[attributeName]?.stringValue ?? 0);

/** Handles a message: what is sent meanwhile, and leads back to the message's queue, counts one hop more. */
export const whileHandling = <Result>(message: Handled, handle: () => Promise<Result>): Promise<Result> =>
  handled.run(message, handle);

/** What a message to a queue must carry so that hops are counted; nothing where a chain begins. */
export const hopAttributes = (
  queue: QueueName,
): { MessageAttributes: Record<string, MessageAttributeValue> } | undefined => {
  const message = handled.getStore();
  if (!message || !leadsTo(queue, message.queue)) return undefined;
  return {
    MessageAttributes: { [attributeName]: { DataType: 'Number', StringValue: String(message.hops + 1) } },
  };
};
