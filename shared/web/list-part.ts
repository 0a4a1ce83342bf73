import type { WebPage } from '../contract/page.ts';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import type { PageRequest } from '../platform/table/page.ts';

const recordsInPart = 25;

/** What a page of the application was asked for: filters by name, and where in the list to begin. */
type Asked = Readonly<Record<string, unknown>> & { readonly cursor?: string | undefined };

/** The part of a list that a page shows, and the addresses of the other parts under the same filters. */
export interface ListPart {
  readonly request: PageRequest;
  /** Whether this is not the newest part. */
  readonly isFurtherOn: boolean;
  readonly newest: string;
  readonly after: (position: string) => string;
}

/**
 * The part of a list that a query asks for. 400 when its cursor is not of this list and these filters.
 *
 * @param path the address of the page, with its parameters in place, which the cursor is bound to as well
 */
export const listPart = (page: Pick<WebPage, 'id'>, programId: string, path: string, asked: Asked): ListPart => {
  const { cursor, ...filters } = asked;
  const scope = { programId, operationId: page.id, filters: { ...filters, path } };
  const chosen = Object.entries(filters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const addressWith = (...more: [string, string][]): string => {
    const query = new URLSearchParams([...chosen, ...more]).toString();
    return query ? `${path}?${query}` : path;
  };
  return {
    request: { limit: recordsInPart, after: cursor === undefined ? undefined : decodeCursor(scope, cursor) },
    isFurtherOn: cursor !== undefined,
    newest: addressWith(),
    after: (position) => addressWith(['cursor', encodeCursor(scope, position)]),
  };
};
