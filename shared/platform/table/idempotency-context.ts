import type { Write } from './transaction.ts';

/** Prevents duplicates when a request is repeated after a crash. `part` tells the records of one request apart. */
export interface IdempotencyContext {
  /** The record that an earlier run created, or undefined. */
  existingRecordId: (part?: number) => Promise<string | undefined>;
  /** Written with the record; refuses the transaction of a second run. */
  recordCreated: (recordId: string, part?: number) => readonly Write[];
  /** After our own failure: the response is not kept, and a repeated request continues. */
  keepRetryable: () => void;
}

export const notIdempotent: IdempotencyContext = {
  existingRecordId: async () => undefined,
  recordCreated: () => [],
  keepRetryable: () => {},
};
