import type { Write } from './transaction.ts';

/**
 * Ties what a request makes to the request, so that the same request sent again after a crash makes nothing twice.
 * `part` tells the records of one request from each other, where it makes several.
 */
export interface Repetition {
  /** The id of the record that a run of this request made before it died, or undefined. */
  madeBefore: (part?: number) => Promise<string | undefined>;
  /** What is to be written in the transaction that makes a record. It refuses the transaction of a second run. */
  note: (recordId: string, part?: number) => readonly Write[];
  /** Says that a part failed for a reason of ours: the answer is not kept, and the request sent again goes on. */
  leaveOpen: () => void;
}

/** A request that nobody can tell from another one. */
export const notRepeatable: Repetition = {
  madeBefore: async () => undefined,
  note: () => [],
  leaveOpen: () => {},
};
