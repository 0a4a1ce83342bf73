import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { deployedName, documents } from '../../platform/table/client.ts';
import { partition } from '../../platform/table/partition.ts';
import { RecordChanged } from '../../platform/table/record-store.ts';
import type { Write } from '../../platform/table/transaction.ts';

/**
 * How many sales the program has of a customer's email. A first order is one that finds none, checked in the
 * transaction that writes the sale: two first orders of one customer cannot both be it. Decisions, "/sales".
 */
const customerKey = (programId: string, email: string) => ({ pk: partition(programId, 'SALE', 'CUSTOMER'), sk: email });

/** Whether the program has a sale of that customer. */
export const hasOrdered = async (programId: string, email: string): Promise<boolean> => {
  const answer = await documents.send(
    new GetCommand({ TableName: deployedName('records'), Key: customerKey(programId, email), ConsistentRead: true }),
  );
  return Number(answer.Item?.orders ?? 0) > 0;
};

/** Adds to the orders of a customer who has some; nothing where they were purged with their program. */
export const orderAddition = (
  programId: string,
  email: string,
  { orders }: Readonly<Record<string, bigint>>,
): Write => ({
  Update: {
    TableName: deployedName('records'),
    Key: customerKey(programId, email),
    UpdateExpression: 'ADD orders :change',
    ConditionExpression: 'attribute_exists(orders)',
    ExpressionAttributeValues: { ':change': orders },
  },
  refusal: () => new RecordChanged('The customer is gone'),
});

/** Counts a sale of a customer: with `mustBeFirst` only where it is the first, with -1 where it becomes another's. */
export const orderCount = (programId: string, email: string, change: 1 | -1, mustBeFirst = false): Write => ({
  Update: {
    TableName: deployedName('records'),
    Key: customerKey(programId, email),
    UpdateExpression: 'ADD orders :change',
    ...(mustBeFirst && { ConditionExpression: 'attribute_not_exists(orders) OR orders <= :none' }),
    ExpressionAttributeValues: { ':change': change, ...(mustBeFirst && { ':none': 0 }) },
  },
  refusal: () => new RecordChanged('The customer has ordered meanwhile'),
});
