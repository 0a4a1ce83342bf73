import { AsyncLocalStorage } from 'node:async_hooks';

/** Who writes, and for which request: its id where `by` made the request, `<id> <who made it>` where a worker follows from it. */
export interface Writer {
  by: string;
  req?: string | undefined;
}

const writers = new AsyncLocalStorage<Writer>();

/** Every edit that `action` writes says that `by` did it, for the request `req`. From authentication, never from a body. */
export const withActor = <Result>(by: string, action: () => Result, req?: string): Result =>
  writers.run({ by, req }, action);

export const currentWriter = (): Writer | undefined => writers.getStore();
