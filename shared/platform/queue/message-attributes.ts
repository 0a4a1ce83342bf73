import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { causeText } from '../../contract/actor.ts';
import { currentWriter } from '../table/actor.ts';
import { hopAttributes } from './hops.ts';

const attributeName = 'cause';

/** The request that a message follows from. docs/behavior.md#audit-log */
export const causeOf = ({ messageAttributes }: Pick<SQSRecord, 'messageAttributes'>): string | undefined =>
  messageAttributes[attributeName]?.stringValue;

/** What goes with a message beside its body: the request that it follows from, and `others`. */
export const attributesOf = (
  cause: string | undefined,
  others: Record<string, MessageAttributeValue> = {},
): { MessageAttributes?: Record<string, MessageAttributeValue> } => {
  const own = cause === undefined ? {} : { [attributeName]: { DataType: 'String', StringValue: cause } };
  const MessageAttributes = { ...others, ...own };
  return Object.keys(MessageAttributes).length > 0 ? { MessageAttributes } : {};
};

/** With the hops of its chain. The request is that of who sends it, unless another one is given. */
export const messageAttributes = (queue: string, cause = causeText(currentWriter() ?? {})) =>
  attributesOf(cause, hopAttributes(queue));
