import { deployedName } from '../../platform/table/client.ts';
import { getItem } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import type { Write } from '../../platform/table/transaction.ts';

/** Checked in the sale's transaction, so that only one order is the first. docs/behavior.md#first-orders */
const customerKey = (programId: string, email: string) => ({ pk: partition(programId, 'SALE', 'CUSTOMER'), sk: email });

export const hasOrdered = async (programId: string, email: string): Promise<boolean> => {
  const customer = await getItem('records', customerKey(programId, email));
  return Number(customer?.orders ?? 0) > 0;
};

/** Does nothing if the customers were purged with their program. */
export const incrementOrdersWrite = (
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
  refusal: () => new ConcurrentModificationError('The customer is gone'),
});

/** `mustBeFirst` for a first order; -1 when the sale moves to another customer. */
export const orderCount = (programId: string, email: string, change: 1 | -1, mustBeFirst = false): Write => ({
  Update: {
    TableName: deployedName('records'),
    Key: customerKey(programId, email),
    UpdateExpression: 'ADD orders :change',
    ...(mustBeFirst && { ConditionExpression: 'attribute_not_exists(orders) OR orders <= :none' }),
    ExpressionAttributeValues: { ':change': change, ...(mustBeFirst && { ':none': 0 }) },
  },
  refusal: () => new ConcurrentModificationError('The customer has ordered meanwhile'),
});
