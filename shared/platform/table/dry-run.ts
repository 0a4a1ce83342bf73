import { AsyncLocalStorage } from 'node:async_hooks';
import { batchGetItems, type ItemKey } from './items.ts';

interface CheckedWrite {
  Put?: { TableName: string | undefined; Item: Record<string, unknown> | undefined } | undefined;
  ConditionCheck?: { TableName: string | undefined; Key: Record<string, unknown> | undefined } | undefined;
  refusal: (item: Record<string, unknown> | undefined) => Error;
}

export type PlannedItems = Set<string>;

const runs = new AsyncLocalStorage<PlannedItems>();

/** Nothing that `action` writes in transactions is written: their conditions are checked by reading. docs/behavior.md#imports */
export const withDryRun = <Result>(planned: PlannedItems, action: () => Result): Result => runs.run(planned, action);

export const currentDryRun = (): PlannedItems | undefined => runs.getStore();

const nameOf = (key: Partial<ItemKey>): string => `${key.pk} ${key.sk}`;

const keyOf = ({ pk, sk }: Record<string, unknown>): ItemKey => ({ pk: String(pk), sk: String(sk) });

/** A key with the id that the new item itself has was drawn for it: there is nothing to read. */
const isDrawn = ({ Put }: CheckedWrite): boolean =>
  typeof Put?.Item?.id === 'string' && String(Put.Item.sk).split('#').includes(Put.Item.id);

/** Throws the refusal of the first new item that exists, or of the first condition on an item that does not. */
export const checkWrites = async (writes: readonly CheckedWrite[], planned: PlannedItems): Promise<void> => {
  const checked = writes.flatMap((write) => {
    const { Put, ConditionCheck, refusal } = write;
    if (isDrawn(write)) return [];
    const [TableName, key] = [Put?.TableName ?? ConditionCheck?.TableName, Put?.Item ?? ConditionCheck?.Key];
    return TableName && key ? [{ TableName, key: keyOf(key), mustExist: !Put, refusal }] : [];
  });
  const found = new Map<string, Record<string, unknown>>();
  // A call for each kind: a role allows each kind on its own.
  const kindOf = ({ TableName, key }: (typeof checked)[number]) => `${TableName} ${key.pk.split('#', 3).join('#')}`;
  await Promise.all(
    [...Map.groupBy(checked, kindOf).values()].map(async (some) => {
      const keys = [...new Map(some.map(({ key }) => [nameOf(key), { ...key }])).values()];
      const items = await batchGetItems(some[0]?.TableName ?? '', keys);
      for (const item of items) found.set(nameOf(keyOf(item)), item);
    }),
  );
  for (const { key, mustExist, refusal } of checked) {
    const item = found.get(nameOf(key));
    const exists = item !== undefined || planned.has(nameOf(key));
    if (exists !== mustExist) throw refusal(item);
  }
  for (const { key, mustExist } of checked) if (!mustExist) planned.add(nameOf(key));
};
