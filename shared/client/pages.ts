/** Some records of a list. */
export interface Page<Item> {
  data: Item[];
  /** The cursor of the next page; undefined on the last one. */
  next: string | undefined;
  /** Of a feed: keep it, and give it as `after` to get what comes later. */
  after?: string | undefined;
}

/** A page of a record's parts as CSV. */
export interface CsvPage {
  text: string;
  /** The cursor of the next page; undefined on the last one. */
  next: string | undefined;
}

/** A list. Nothing is requested before it is read: `for await (const sale of client.sales.list())` reads every page. */
export interface List<Item> extends AsyncIterable<Item> {
  /** The first page, or the one of the `cursor` that the list was given. */
  page(): Promise<Page<Item>>;
  /** Every page, one by one. */
  pages(): AsyncIterable<Page<Item>>;
  /** The first `max` records. */
  toArray(bound: { max: number }): Promise<Item[]>;
}

/** A list whose pages `read` requests. */
export const listOf = <Item>(read: (cursor: string | undefined) => Promise<Page<Item>>): List<Item> => {
  async function* pages(): AsyncGenerator<Page<Item>> {
    let page = await read(undefined);
    yield page;
    while (page.next !== undefined) {
      page = await read(page.next);
      yield page;
    }
  }
  async function* items(): AsyncGenerator<Item> {
    for await (const { data } of pages()) yield* data;
  }
  const toArray = async ({ max }: { max: number }): Promise<Item[]> => {
    const found: Item[] = [];
    if (max <= 0) return found;
    for await (const item of items()) if (found.push(item) >= max) break;
    return found;
  };
  return { page: () => read(undefined), pages, toArray, [Symbol.asyncIterator]: items };
};
