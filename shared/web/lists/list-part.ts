import type { WebPage } from '../../contract/page.ts';
import { decodeCursor, encodeCursor } from '../../http/cursor.ts';
import type { Page, PageRequest } from '../../platform/table/page.ts';
import { nextDay, startOfDay } from '../components/days.ts';

export const recordsInPart = 50;

type Asked = Readonly<Record<string, unknown>> & { readonly cursor?: string | undefined };

export interface ListPart {
  readonly request: PageRequest;
  readonly isFurtherOn: boolean;
  readonly first: string;
  /** The first part, with the sums of the whole list. */
  readonly totals: string;
  readonly csv: string;
  readonly after: (position: string) => string;
}

/** The period, in days of the program's time zone, and the order of a list; both days are included. */
export const rangeOf = ({
  from,
  to,
  sort,
}: {
  from?: unknown;
  to?: unknown;
  sort?: unknown;
}): Omit<PageRequest, 'limit'> => ({
  ...(typeof from === 'string' && { createdAfter: startOfDay(from) }),
  ...(typeof to === 'string' && { createdBefore: startOfDay(nextDay(to)) }),
  isOldestFirst: sort === 'oldest',
});

/** Of a program, or of another `owner` of the list. 400 for a cursor of another list, filter or `path`. */
export const listPart = (page: Pick<WebPage, 'id'>, owner: string, path: string, asked: Asked): ListPart => {
  const { cursor, totals: _, ...filters } = asked;
  const scope = { programId: owner, operationId: page.id, filters: { ...filters, path } };
  const chosen = Object.entries(filters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const addressWith = (below: string, ...more: [string, string][]): string => {
    const query = new URLSearchParams([...chosen, ...more]).toString();
    return query ? `${below}?${query}` : below;
  };
  return {
    request: {
      ...rangeOf(filters),
      limit: recordsInPart,
      isOneRead: true,
      after: cursor === undefined ? undefined : decodeCursor(scope, cursor),
    },
    isFurtherOn: cursor !== undefined,
    first: addressWith(path),
    csv: addressWith(`${path}.csv`),
    totals: addressWith(path, ['totals', 'on']),
    after: (position) => addressWith(path, ['cursor', encodeCursor(scope, position)]),
  };
};

const maxAddedUp = 1000;

/** What is added up: a list that fits on one page, or the beginning of a longer one if that was asked for. */
export interface AddedUp<Item> {
  readonly items: readonly Item[];
  readonly isAll: boolean;
}

export const itemsToAddUp = async <Item>(
  { request, isFurtherOn }: ListPart,
  page: Page<Item>,
  isAsked: boolean,
  read: (request: PageRequest) => Promise<Page<Item>>,
): Promise<AddedUp<Item> | undefined> => {
  if (!isFurtherOn && page.next === undefined) return { items: page.items, isAll: true };
  if (!isAsked) return undefined;
  const whole = await read({ ...request, after: undefined, limit: maxAddedUp });
  return { items: whole.items, isAll: whole.next === undefined };
};
