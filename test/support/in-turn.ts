/** Runs many actions, at most `width` at a time, and returns their results in order. */
export const inTurn = async <Item, Result>(
  items: readonly Item[],
  action: (item: Item) => Promise<Result>,
  width = 16,
): Promise<Result[]> => {
  const results: Result[] = [];
  let next = 0;
  const run = async () => {
    for (let at = next++; at < items.length; at = next++) {
      for (const item of items.slice(at, at + 1)) results[at] = await action(item);
    }
  };
  await Promise.all(Array.from({ length: width }, run));
  return results;
};
