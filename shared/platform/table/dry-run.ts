import { AsyncLocalStorage } from 'node:async_hooks';
import { batchGetItems, type ItemKey } from './items.ts';
import type { Write } from './transaction.ts';

/** What a dry run would have created so far, by key. */
export type PlannedItems = Set<string>;

const runs = new AsyncLocalStorage<PlannedItems>();

/** Nothing that `action` writes in transactions is written: their conditions are checked by reading. docs/behavior.md#imports */
export const withDryRun = <Result>(planned: PlannedItems, action: () => Result): Result => runs.run(planned, action);

export const currentDryRun = (): PlannedItems | undefined => runs.getStore();

const nameOf = (key: Partial<ItemKey>): string => `${key.pk} ${key.sk}`;

const keyOf = ({ pk, sk }: Record<string, unknown>): ItemKey => ({ pk: String(pk), sk: String(sk) });

/** Throws the refusal of the first new item that exists, or of the first condition on an item that does not. */
export const checkWrites = async (writes: readonly Write[], planned: PlannedItems): Promise<void> => {
  const checked = writes.flatMap(({ Put, ConditionCheck, refusal }) => {
    const [TableName, key] = [Put?.TableName ?? ConditionCheck?.TableName, Put?.Item ?? ConditionCheck?.Key];
    return TableName && key ? [{ TableName, key: keyOf(key), mustExist: !Put, refusal }] : [];
  });
  const found = new Map<string, Record<string, unknown>>();
  for (const [table, some] of Map.groupBy(checked, ({ TableName }) => TableName)) {
    const keys = [...new Map(some.map(({ key }) => [nameOf(key), key])).values()];
    for (const item of await batchGetItems(
      table,
      keys.map((key) => ({ ...key })),
    )) found.set(nameOf(keyOf(item)), item);
  }
  for (const { key, mustExist, refusal } of checked) {
    const item = found.get(nameOf(key));
    const exists = item !== undefined || planned.has(nameOf(key));
    if (exists !== mustExist) throw refusal(item);
  }
  for (const { key, mustExist } of checked) if (!mustExist) planned.add(nameOf(key));
};
