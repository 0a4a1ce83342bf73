import type { Tables } from '../iam/dynamodb-access.ts';
import { type DynamoDBRequest, type ItemRequest, itemRequestsOf } from '../iam/dynamodb-request.ts';

/** The items that requests in flight hold. */
export interface ItemsInFlight {
  /**
   * Which of the items of a request are held so that DynamoDB would refuse it: one entry an item, in their order.
   * A request that is refused holds nothing.
   */
  conflictsOf(operation: string, items: readonly string[]): boolean[];
  /** Holds the items until the returned function is called. */
  hold(operation: string, items: readonly string[]): () => void;
}

const plainWrites = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);
export const isTransaction = (operation: string): boolean => operation.startsWith('Transact');
/** Whether a call can be refused for a conflict at all. */
export const canConflict = (operation: string): boolean => isTransaction(operation) || plainWrites.has(operation);

/**
 * Conflicts as DynamoDB documents them: a write or a transaction conflicts with a transactional write in flight on the
 * same item, a transactional read also with a plain write. Plain writes among themselves wait for each other instead.
 */
export function createItemsInFlight(): ItemsInFlight {
  const inTransactions = new Map<string, number>();
  const inPlainWrites = new Map<string, number>();
  const holdersOf = (operation: string): Map<string, number> | undefined => {
    if (operation === 'TransactWriteItems') return inTransactions;
    return plainWrites.has(operation) ? inPlainWrites : undefined;
  };
  return {
    conflictsOf: (operation, items) =>
      items.map((item) => inTransactions.has(item) || (operation === 'TransactGetItems' && inPlainWrites.has(item))),
    hold: (operation, items) => {
      const holders = holdersOf(operation);
      for (const item of items) holders?.set(item, (holders.get(item) ?? 0) + 1);
      return () => {
        for (const item of items) {
          const left = (holders?.get(item) ?? 0) - 1;
          if (left > 0) holders?.set(item, left);
          else holders?.delete(item);
        }
      };
    },
  };
}

/** A name for each item that a request touches, in their order. */
export const itemsOf = (operation: string, body: DynamoDBRequest, tables: Tables): string[] =>
  itemRequestsOf(operation, body).map(({ request }) => itemName(request, tables));

function itemName({ TableName = '', Key, Item }: ItemRequest, tables: Tables): string {
  const { partitionKey = '', sortKey = '' } = tables[TableName] ?? {};
  const attributes = Key ?? Item ?? {};
  return JSON.stringify([TableName, attributes[partitionKey], attributes[sortKey]]);
}
