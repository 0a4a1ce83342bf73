import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** The attribute of an item whose last edit makes no events. It differs after each such write, so that a later edit is not quiet. */
export const quietAttribute = 'quietBy';

const writers = new AsyncLocalStorage<string>();

/** Every record that `action` creates or edits makes no events for it. `writer` is an id without `#`, which the item keeps. */
export const withQuietWrites = <Result>(writer: string, action: () => Result): Result => writers.run(writer, action);

/** What a write sets `quietAttribute` to; undefined outside `withQuietWrites`. */
export const quietMark = (): string | undefined => {
  const writer = writers.getStore();
  return writer && `${writer}#${randomUUID()}`;
};

type Image = Record<string, unknown> | undefined;

/** Whether the writer has made the last quiet edit of an item. */
export const isQuietEditBy = (writer: string, item: Image): boolean =>
  String(item?.[quietAttribute] ?? '').startsWith(`${writer}#`);

export const isQuietChange = ({ before, after }: { before: Image; after: Image }): boolean =>
  after?.[quietAttribute] !== undefined && after[quietAttribute] !== before?.[quietAttribute];
