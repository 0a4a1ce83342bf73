/** What a list operation asks of a repository. `after` is the position of the last record of the page before. */
export interface PageRequest {
  limit: number;
  after?: string | undefined;
  createdAfter?: string | undefined;
  createdBefore?: string | undefined;
  updatedAfter?: string | undefined;
}

/** Some records in their order. Each has its position, so that an answer that grows too large can end at any of them. */
export class Page<Item> {
  readonly entries: readonly { readonly item: Item; readonly position: string }[];
  /** The position to go on after; absent on the last page. */
  readonly next: string | undefined;

  constructor(entries: readonly { item: Item; position: string }[], next: string | undefined) {
    this.entries = entries;
    this.next = next;
  }

  get items(): readonly Item[] {
    return this.entries.map((entry) => entry.item);
  }

  /** The same page with each record in another form. */
  map<Other>(transform: (item: Item) => Other): Page<Other> {
    return new Page(
      this.entries.map(({ item, position }) => ({ item: transform(item), position })),
      this.next,
    );
  }

  /** The same page with each record in a form that takes time to make. */
  async mapAwaiting<Other>(transform: (item: Item) => Promise<Other>): Promise<Page<Other>> {
    const made = this.entries.map(async ({ item, position }) => ({ item: await transform(item), position }));
    return new Page(await Promise.all(made), this.next);
  }
}

/** Well below what Lambda and API Gateway can answer with: a page ends early rather than fail. */
export const maxPageBytes = 4 * 1024 * 1024;
