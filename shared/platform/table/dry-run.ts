import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { batchGetItems, type ItemKey } from './items.ts';

interface CheckedWrite {
  Put?: { TableName: string | undefined; Item: Record<string, unknown> | undefined } | undefined;
  ConditionCheck?: { TableName: string | undefined; Key: Record<string, unknown> | undefined } | undefined;
  refusal: (item: Record<string, unknown> | undefined) => Error;
}

const nameOf = (key: Partial<ItemKey>): string => `${key.pk} ${key.sk}`;

const keyOf = ({ pk, sk }: Record<string, unknown>): ItemKey => ({ pk: String(pk), sk: String(sk) });

type Item = Record<string, unknown>;

interface Batch {
  keys: Map<string, ItemKey>;
  items: Promise<Map<string, Item>>;
}

/** What a dry run would have written, and what it reads: what is asked at the same time is read together. */
export class PlannedItems {
  readonly #names = new Set<string>();
  readonly #batches = new Map<string, Batch>();

  has(key: ItemKey): boolean {
    return this.#names.has(nameOf(key));
  }

  add(key: ItemKey): void {
    this.#names.add(nameOf(key));
  }

  async read(table: string, key: ItemKey): Promise<Item | undefined> {
    // A call for each kind: a role allows each kind on its own.
    const kind = `${table} ${key.pk.split('#', 3).join('#')}`;
    const batch = this.#batches.get(kind) ?? this.#begin(kind, table);
    batch.keys.set(nameOf(key), key);
    return (await batch.items).get(nameOf(key));
  }

  #begin(kind: string, table: string): Batch {
    const keys: Batch['keys'] = new Map();
    const read = async () => {
      await setImmediate();
      this.#batches.delete(kind);
      const items = await batchGetItems(
        table,
        [...keys.values()].map((key) => ({ ...key })),
      );
      return new Map(items.map((item) => [nameOf(keyOf(item)), item]));
    };
    const batch = { keys, items: read() };
    this.#batches.set(kind, batch);
    return batch;
  }
}

const runs = new AsyncLocalStorage<PlannedItems>();

/** Nothing that `action` writes in transactions is written: their conditions are checked by reading. docs/behavior.md#imports */
export const withDryRun = <Result>(planned: PlannedItems, action: () => Result): Result => runs.run(planned, action);

export const currentDryRun = (): PlannedItems | undefined => runs.getStore();

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
  const found = await Promise.all(checked.map(({ TableName, key }) => planned.read(TableName, key)));
  for (const [at, { key, mustExist, refusal }] of checked.entries()) {
    const exists = found[at] !== undefined || planned.has(key);
    if (exists !== mustExist) throw refusal(found[at]);
  }
  for (const { key, mustExist } of checked) if (!mustExist) planned.add(key);
};
