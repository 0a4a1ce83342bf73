import { createHmac, timingSafeEqual } from 'node:crypto';
import { fieldError } from '../contract/errors.ts';

/** See docs/behavior.md#cursors */
export interface CursorScope {
  programId: string;
  operationId: string;
  filters: Record<string, unknown>;
  parameter?: 'after' | 'cursor';
}

/** An environment variable costs no call, and it protects only a position in a program's own list. */
const cursorKey = (): string => {
  const key = process.env.CURSOR_KEY;
  if (!key) throw new Error('The environment variable CURSOR_KEY is not set');
  return key;
};

const authenticationOf = (scope: CursorScope, position: string): string => {
  const filters = Object.entries(scope.filters)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const kind = scope.parameter === 'after' ? ['after'] : [];
  return createHmac('sha256', cursorKey())
    .update(JSON.stringify([scope.programId, scope.operationId, filters, position, ...kind]))
    .digest('base64url');
};

export const encodeCursor = (scope: CursorScope, position: string): string =>
  `${Buffer.from(position).toString('base64url')}.${authenticationOf(scope, position)}`;

const refusals = {
  cursor: 'cursor is not valid for this list and these filters. Start again without it.',
  after: 'after is not valid for these filters. Begin with after=start or after=now.',
};

/** 400 for a cursor that was altered or belongs elsewhere. docs/behavior.md#cursors */
export const decodeCursor = (scope: CursorScope, cursor: string): string => {
  const { parameter = 'cursor' } = scope;
  const [encoded = ''] = cursor.split('.');
  const position = Buffer.from(encoded, 'base64url').toString();
  const expected = Buffer.from(encodeCursor(scope, position));
  const given = Buffer.from(cursor);
  if (expected.length !== given.length || !timingSafeEqual(expected, given))
    throw fieldError(parameter, refusals[parameter]);
  return position;
};
