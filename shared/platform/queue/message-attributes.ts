import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { causeText } from '../../contract/actor.ts';
import { currentWriter } from '../table/actor.ts';
import { hopAttributes } from './hops.ts';

const attributeName = 'cause';

/** The request that a message follows from. docs/behavior.md#audit-log */
export const causeOf = ({ messageAttributes }: Pick<SQSRecord, 'messageAttributes'>): string | undefined =>
  messageAttributes[attributeName]?.stringValue;

export const causeAttributes = (cause: string | undefined): Record<string, MessageAttributeValue> =>
  cause === undefined ? {} : { [attributeName]: { DataType: 'String', StringValue: cause } };

/** What goes with a message beside its body: the hops of its chain, and the request that caused it. */
export const messageAttributes = (
  queue: string,
  cause = causeText(currentWriter() ?? {}),
): { MessageAttributes: Record<string, MessageAttributeValue> } | undefined => {
  const MessageAttributes = { ...hopAttributes(queue), ...causeAttributes(cause) };
  return Object.keys(MessageAttributes).length > 0 ? { MessageAttributes } : undefined;
};
