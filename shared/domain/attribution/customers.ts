import * as z from 'zod';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { batchGetItems, getItem, updateItem } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';

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

/** Earlier versions stored no time of the first sale. */
export const StoredCustomer = z.object({ orders: z.number(), firstSaleAt: z.string().optional() });

const readCustomer = async (programId: string, customer: string) =>
  StoredCustomer.optional().parse(await getItem('records', customerKey(programId, customer)));

/** `customer` is what `customerOf` returns. */
export const hasOrdered = async (programId: string, customer: string): Promise<boolean> =>
  ((await readCustomer(programId, customer))?.orders ?? 0) > 0;

/** When the customer's first sale was recorded, or undefined. docs/behavior.md#months-of-a-group */
export const firstSaleAtOf = async (programId: string, customer: string): Promise<string | undefined> =>
  (await readCustomer(programId, customer))?.firstSaleAt;

/** For sales of earlier versions, which did not store it. Keeps the earliest. */
export const setFirstSale = async (programId: string, customer: string, createdAt: string): Promise<void> => {
  await updateItem('records', customerKey(programId, customer), {
    UpdateExpression: 'SET firstSaleAt = :at',
    ConditionExpression: 'attribute_exists(orders) AND (attribute_not_exists(firstSaleAt) OR firstSaleAt > :at)',
    ExpressionAttributeValues: { ':at': createdAt },
  });
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

/** Counts an order; `createdAt` is the time of its sale. `mustBeFirst` for a first order. */
export const orderWrite = (programId: string, customer: string, createdAt: string, mustBeFirst = false): Write => ({
  Update: {
    TableName: deployedName('records'),
    Key: customerKey(programId, customer),
    UpdateExpression: 'ADD orders :one SET firstSaleAt = if_not_exists(firstSaleAt, :at)',
    ...(mustBeFirst && { ConditionExpression: 'attribute_not_exists(orders) OR orders <= :none' }),
    ExpressionAttributeValues: { ':one': 1, ':at': createdAt, ...(mustBeFirst && { ':none': 0 }) },
  },
  refusal: () => new ConcurrentModificationError('The customer has ordered meanwhile'),
});

/** Counts imported orders of a customer; `createdAt` is the time of the first of them. */
export const importedOrdersWrite = (programId: string, customer: string, createdAt: string, orders: number): Write => ({
  Update: {
    TableName: deployedName('records'),
    Key: customerKey(programId, customer),
    UpdateExpression: 'ADD orders :orders SET firstSaleAt = if_not_exists(firstSaleAt, :at)',
    ExpressionAttributeValues: { ':orders': orders, ':at': createdAt },
  },
  refusal: () => new ConcurrentModificationError('The customer is gone'),
});

/** Customers by the key that `customerOf` returns. */
export const readCustomers = async (
  programId: string,
  customers: Iterable<string>,
): Promise<Map<string, z.infer<typeof StoredCustomer>>> => {
  const keys = [...new Set(customers)].map((customer) => customerKey(programId, customer));
  const items = await batchGetItems(deployedName('records'), keys);
  return new Map(items.map((item) => [String(item.sk), StoredCustomer.parse(item)]));
};

export const orderLostWrite = (programId: string, customer: string): Write => ({
  Update: {
    TableName: deployedName('records'),
    Key: customerKey(programId, customer),
    UpdateExpression: 'ADD orders :change',
    ExpressionAttributeValues: { ':change': -1 },
  },
  refusal: () => new ConcurrentModificationError('The customer is gone'),
});

/**
 * Adds the orders of one customer to another's and forgets the first, unless its first sale was at `recordedBefore` or later (ISO 8601).
 * May be repeated.
 */
export const moveCustomer = (
  programId: string,
  from: string,
  to: string,
  recordedBefore: string | undefined,
): Promise<void> =>
  retryOnConflict(async () => {
    const [moved, other] = await Promise.all([readCustomer(programId, from), readCustomer(programId, to)]);
    if (!moved || (recordedBefore !== undefined && (moved.firstSaleAt ?? '') >= recordedBefore)) return;
    const firstSaleAt = [moved.firstSaleAt, other?.firstSaleAt].filter((at) => at !== undefined).sort()[0];
    const changed = () => new ConcurrentModificationError('The customer has ordered meanwhile');
    await writeTogether([
      {
        Delete: {
          TableName: deployedName('records'),
          Key: customerKey(programId, from),
          ConditionExpression: 'orders = :orders',
          ExpressionAttributeValues: { ':orders': moved.orders },
        },
        refusal: changed,
      },
      {
        Update: {
          TableName: deployedName('records'),
          Key: customerKey(programId, to),
          UpdateExpression: `ADD orders :orders${firstSaleAt === undefined ? '' : ' SET firstSaleAt = :at'}`,
          ConditionExpression: 'attribute_not_exists(orders) OR orders = :were',
          ExpressionAttributeValues: {
            ':orders': moved.orders,
            ':were': other?.orders ?? 0,
            ...(firstSaleAt !== undefined && { ':at': firstSaleAt }),
          },
        },
        refusal: changed,
      },
    ]);
  });
