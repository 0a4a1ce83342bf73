import { deployedName } from '../../platform/table/client.ts';
import { getItem } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import type { Write } from '../../platform/table/transaction.ts';

interface CustomerFields {
  email?: string | null | undefined;
  customerId?: string | null | undefined;
}

/** By email, else by `customerId`; undefined without both. No email has a space. docs/behavior.md#first-orders */
export const customerOf = ({ email, customerId }: CustomerFields): string | undefined =>
  email ?? (customerId == null ? undefined : `ID ${customerId}`);

/** Checked in the sale's transaction, so that only one order is the first. docs/behavior.md#first-orders */
const customerKey = (programId: string, customer: string) => ({
  pk: partition(programId, 'SALE', 'CUSTOMER'),
  sk: customer,
});

/** `customer` is what `customerOf` returns. */
export const hasOrdered = async (programId: string, customer: string): Promise<boolean> => {
  const counted = await getItem('records', customerKey(programId, customer));
  return Number(counted?.orders ?? 0) > 0;
};

/** Does nothing if the customers were purged with their program. */
export const incrementOrdersWrite = (
  programId: string,
  customer: string,
  { orders }: Readonly<Record<string, bigint>>,
): Write => ({
  Update: {
    TableName: deployedName('records'),
    Key: customerKey(programId, customer),
    UpdateExpression: 'ADD orders :change',
    ConditionExpression: 'attribute_exists(orders)',
    ExpressionAttributeValues: { ':change': orders },
  },
  refusal: () => new ConcurrentModificationError('The customer is gone'),
});

/** `mustBeFirst` for a first order; -1 when the sale moves to another customer. */
export const orderCount = (programId: string, customer: string, change: 1 | -1, mustBeFirst = false): Write => ({
  Update: {
    TableName: deployedName('records'),
    Key: customerKey(programId, customer),
    UpdateExpression: 'ADD orders :change',
    ...(mustBeFirst && { ConditionExpression: 'attribute_not_exists(orders) OR orders <= :none' }),
    ExpressionAttributeValues: { ':change': change, ...(mustBeFirst && { ':none': 0 }) },
  },
  refusal: () => new ConcurrentModificationError('The customer has ordered meanwhile'),
});
