import { createHash } from 'node:crypto';
import { fieldError } from '../contract/errors.ts';

/** What a cursor belongs to: it is of no use with another program, operation or filter. Decisions 1.4. */
export interface CursorScope {
  programId: string;
  operationId: string;
  filters: Record<string, unknown>;
}

const digest = (scope: CursorScope, position: string): string => {
  const filters = Object.entries(scope.filters)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([scope.programId, scope.operationId, filters, position]))
    .digest('base64url')
    .slice(0, 22);
};

/** An opaque cursor for a position in a list. */
export const encodeCursor = (scope: CursorScope, position: string): string =>
  `${Buffer.from(position).toString('base64url')}.${digest(scope, position)}`;

/** The position in a cursor; 400 when it was altered or is of another program, operation or filter. */
export const decodeCursor = (scope: CursorScope, cursor: string): string => {
  const [encoded = '', check] = cursor.split('.');
  const position = Buffer.from(encoded, 'base64url').toString();
  if (check !== digest(scope, position) || encodeCursor(scope, position) !== cursor)
    throw fieldError('cursor', 'cursor is not valid for this list and these filters. Start again without it.');
  return position;
};
