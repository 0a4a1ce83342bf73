/** Starts in order, a few at a time. All are tried; the first failure is thrown at the end. */
export const forEachConcurrent = async <Item>(
  items: readonly Item[],
  maxConcurrency: number,
  act: (item: Item) => Promise<void>,
): Promise<void> => {
  const waiting = items.values();
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (let next = waiting.next(); !next.done; next = waiting.next())
      await act(next.value).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: maxConcurrency }, lane));
  if (failures.length > 0) throw failures[0];
};

/** As `forEachConcurrent`, but an item waits for those before it that have one of its keys. */
export const forEachApart = async <Item>(
  items: readonly Item[],
  maxConcurrency: number,
  keysOf: (item: Item) => readonly string[],
  act: (item: Item) => Promise<void>,
): Promise<void> => {
  const ended = new Map<string, Promise<unknown>>();
  await forEachConcurrent(items, maxConcurrency, async (item) => {
    const keys = keysOf(item);
    const acting = Promise.all(keys.flatMap((key) => ended.get(key) ?? [])).then(() => act(item));
    for (const key of keys) ended.set(key, Promise.allSettled([acting]));
    await acting;
  });
};

/** As `forEachConcurrent` for items that are read meanwhile, a few at a time: ends at the first few of which one fails. */
export const forEachAsRead = async <Item>(
  items: AsyncIterable<Item>,
  maxConcurrency: number,
  act: (item: Item) => Promise<void>,
): Promise<void> => {
  let waiting: Item[] = [];
  for await (const item of items) {
    waiting.push(item);
    if (waiting.length < maxConcurrency) continue;
    await forEachConcurrent(waiting, maxConcurrency, act);
    waiting = [];
  }
  await forEachConcurrent(waiting, maxConcurrency, act);
};
