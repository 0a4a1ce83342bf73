export interface PageRequest {
  limit: number;
  after?: string | undefined;
  createdAfter?: string | undefined;
  createdBefore?: string | undefined;
  updatedAfter?: string | undefined;
  /** If false, the records that an index names are read at half the units, and may be old. */
  isConsistent?: boolean;
}

/** Each record has its position, so that a large response can end at any of them. */
export class Page<Item> {
  readonly entries: readonly { readonly item: Item; readonly position: string }[];
  readonly next: string | undefined;

  constructor(entries: readonly { item: Item; position: string }[], next: string | undefined) {
    this.entries = entries;
    this.next = next;
  }

  get items(): readonly Item[] {
    return this.entries.map((entry) => entry.item);
  }

  map<Other>(transform: (item: Item) => Other): Page<Other> {
    return new Page(
      this.entries.map(({ item, position }) => ({ item: transform(item), position })),
      this.next,
    );
  }

  async mapAwaiting<Other>(transform: (item: Item) => Promise<Other>): Promise<Page<Other>> {
    const made = this.entries.map(async ({ item, position }) => ({ item: await transform(item), position }));
    return new Page(await Promise.all(made), this.next);
  }
}

/** Below the limits of Lambda and API Gateway: a page ends early rather than fail. */
export const maxPageBytes = 4 * 1024 * 1024;
