import type { WebPage } from '../contract/page.ts';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import type { PageRequest } from '../platform/table/page.ts';

export const recordsInPart = 50;

type Asked = Readonly<Record<string, unknown>> & { readonly cursor?: string | undefined };

export interface ListPart {
  readonly request: PageRequest;
  readonly isFurtherOn: boolean;
  readonly first: string;
  /** The whole list with its filters. */
  readonly csv: string;
  readonly after: (position: string) => string;
}

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** The period and the order of a list; both days are included. */
export const rangeOf = ({
  from,
  to,
  sort,
}: {
  from?: unknown;
  to?: unknown;
  sort?: unknown;
}): Omit<PageRequest, 'limit'> => ({
  ...(typeof from === 'string' && { createdAfter: `${from}T00:00:00.000Z` }),
  ...(typeof to === 'string' && { createdBefore: new Date(Date.parse(to) + dayMilliseconds).toISOString() }),
  isOldestFirst: sort === 'oldest',
});

/** Of a program, or of another `owner` of the list. 400 for a cursor of another list, filter or `path`. */
export const listPart = (page: Pick<WebPage, 'id'>, owner: string, path: string, asked: Asked): ListPart => {
  const { cursor, ...filters } = asked;
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
    after: (position) => addressWith(path, ['cursor', encodeCursor(scope, position)]),
  };
};
