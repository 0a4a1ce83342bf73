import { AsyncLocalStorage } from 'node:async_hooks';

/** Set while the recorder of conditions asks which clause was refused: its transactions are no writes of the action. */
export const isAsking = new AsyncLocalStorage<true>();
