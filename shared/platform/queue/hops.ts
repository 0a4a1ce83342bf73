import { AsyncLocalStorage } from 'node:async_hooks';
import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { leadingBackTo } from './worker-queues.at-build.ts';

interface Handled {
  queue: string;
  hops: number;
}

const attributeName = 'hops';
const handled = new AsyncLocalStorage<Handled>();

export const hopsOf = ({ messageAttributes }: Pick<SQSRecord, 'messageAttributes'>): number =>
  Number(messageAttributes[attributeName]?.stringValue ?? 0);

/** Messages sent meanwhile that lead back to this queue count one hop more. */
export const whileHandling = <Result>(message: Handled, handle: () => Promise<Result>): Promise<Result> =>
  handled.run(message, handle);

export const hopAttributes = (queue: string): Record<string, MessageAttributeValue> => {
  const message = handled.getStore();
  if (!message || !leadingBackTo[message.queue]?.includes(queue)) return {};
  return { [attributeName]: { DataType: 'Number', StringValue: String(message.hops + 1) } };
};
