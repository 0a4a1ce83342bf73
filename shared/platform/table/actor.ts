import { AsyncLocalStorage } from 'node:async_hooks';

const actors = new AsyncLocalStorage<string>();

/** Every edit that `action` writes says that `actor` did it. From authentication, never from a body. */
export const withActor = <Result>(actor: string, action: () => Result): Result => actors.run(actor, action);

export const currentActor = (): string | undefined => actors.getStore();
