/** Of one transaction. */
const maxItems = 100;

/**
 * Parts of which each fits into a transaction of `maxWrites`: an entry needs a write of its own, and one for each item that
 * it names.
 */
export const withinOneTransaction = function* <Entry>(
  entries: Iterable<Entry>,
  itemsOf: (entry: Entry) => readonly string[],
  maxWrites = maxItems,
): Generator<Entry[]> {
  let part: Entry[] = [];
  let items = new Set<string>();
  for (const entry of entries) {
    const own = itemsOf(entry);
    const together = new Set([...items, ...own]);
    if (part.length > 0 && part.length + 1 + together.size > maxWrites) {
      yield part;
      part = [];
      items = new Set(own);
    } else items = together;
    part.push(entry);
  }
  if (part.length > 0) yield part;
};
