export interface PageRequest {
  limit: number;
  after?: string | undefined;
  /** Of a feed: `start`, `now`, or a position. */
  feedAfter?: string | undefined;
  createdAfter?: string | undefined;
  createdBefore?: string | undefined;
  updatedAfter?: string | undefined;
  /** If false, records are read at half the units, and may be old. */
  isConsistent?: boolean;
  isOldestFirst?: boolean;
  /** Reads once, and ends the page early where filters leave out much of it. */
  isOneRead?: boolean;
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

/** Merges pages of several lists by id, up to where the first page with more to read ends. */
export const joinPages = <Item>(
  pages: readonly Page<Item>[],
  { limit, isOldestFirst = false }: PageRequest,
): Page<Item> => {
  const order = (one: string, other: string) => (one < other === isOldestFirst ? -1 : 1);
  const [edge] = pages.flatMap(({ next }) => next ?? []).toSorted(order);
  const known = pages
    .flatMap(({ entries }) => entries)
    .filter(({ position }) => edge === undefined || position === edge || order(position, edge) < 0)
    .toSorted((one, other) => order(one.position, other.position));
  const entries = known.slice(0, limit);
  return new Page(entries, known.length > limit ? entries.at(-1)?.position : edge);
};

/** A page of a feed, oldest first, which says where the next read begins whether or not there is more now. */
export class FeedPage<Item> extends Page<Item> {
  readonly end: string;

  constructor(entries: Page<Item>['entries'], { end, hasMore }: { end: string; hasMore: boolean }) {
    super(entries, hasMore ? end : undefined);
    this.end = end;
  }
}

/** Below the limits of Lambda and API Gateway: a page ends early rather than fail. */
export const maxPageBytes = 4 * 1024 * 1024;
