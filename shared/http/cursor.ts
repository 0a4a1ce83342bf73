import { createHmac, timingSafeEqual } from 'node:crypto';
import { fieldError } from '../contract/errors.ts';

/** What a cursor belongs to: it is of no use with another program, operation or filter. Decisions 1.4. */
export interface CursorScope {
  programId: string;
  operationId: string;
  filters: Record<string, unknown>;
}

/** From the deployment. A variable costs no call, and what it protects is only where in a program's own list a page begins. */
const cursorKey = (): string => {
  const key = process.env.CURSOR_KEY;
  if (!key) throw new Error('The environment variable CURSOR_KEY is not set');
  return key;
};

const authenticationOf = (scope: CursorScope, position: string): string => {
  const filters = Object.entries(scope.filters)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return createHmac('sha256', cursorKey())
    .update(JSON.stringify([scope.programId, scope.operationId, filters, position]))
    .digest('base64url');
};

/** An opaque cursor for a position in a list, authenticated by HMAC. */
export const encodeCursor = (scope: CursorScope, position: string): string =>
  `${Buffer.from(position).toString('base64url')}.${authenticationOf(scope, position)}`;

/** The position in a cursor; 400 when it was altered or is of another program, operation or filter. */
export const decodeCursor = (scope: CursorScope, cursor: string): string => {
  const [encoded = ''] = cursor.split('.');
  const position = Buffer.from(encoded, 'base64url').toString();
  const expected = Buffer.from(encodeCursor(scope, position));
  const given = Buffer.from(cursor);
  if (expected.length !== given.length || !timingSafeEqual(expected, given))
    throw fieldError('cursor', 'cursor is not valid for this list and these filters. Start again without it.');
  return position;
};
