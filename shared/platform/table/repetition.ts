import type { Write } from './transaction.ts';

/** Prevents duplicates when a request is repeated after a crash. `part` tells the records of one request apart. */
export interface Repetition {
  /** The record that an earlier run created, or undefined. */
  madeBefore: (part?: number) => Promise<string | undefined>;
  /** Written with the record; refuses the transaction of a second run. */
  note: (recordId: string, part?: number) => readonly Write[];
  /** After our own failure: the response is not kept, and a repeated request continues. */
  leaveOpen: () => void;
}

export const notRepeatable: Repetition = {
  madeBefore: async () => undefined,
  note: () => [],
  leaveOpen: () => {},
};
