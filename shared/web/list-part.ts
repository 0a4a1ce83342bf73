import type { WebPage } from '../contract/page.ts';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import type { PageRequest } from '../platform/table/page.ts';

const recordsInPart = 25;

type Asked = Readonly<Record<string, unknown>> & { readonly cursor?: string | undefined };

export interface ListPart {
  readonly request: PageRequest;
  readonly isFurtherOn: boolean;
  readonly newest: string;
  readonly after: (position: string) => string;
}

/** 400 for a cursor of another list, filter or `path`. */
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
