import { randomInt } from 'node:crypto';
import type { UniqueValue } from './record-store.ts';

/**
 * Slots keep a kind of record to a number: each record holds one as a unique value, written in the transaction that makes
 * the record, so that concurrent requests cannot both take the last one.
 */

/** Thrown when another record took the same slot in between. */
class SlotTaken extends Error {
  override name = 'SlotTaken';
}

/** The unique value `SLOT` of a record that holds one. */
export const slotOf = (slot: number): UniqueValue => ({
  value: String(slot),
  refusal: () => new SlotTaken(`Slot ${slot} is taken`),
});

interface SlotStore {
  valuesBeginningWith: (
    programId: string,
    name: 'SLOT',
    prefix: string,
    count: number,
  ) => Promise<readonly { value: string }[]>;
}

/**
 * Writes with a free slot, and again with another one when it was taken in between. Throws `whenFull` when none is free.
 *
 * @param slots `first` and the `count` of slots to choose from; `all` is how many slots the kind of record has in all
 */
export const withFreeSlot = async <Result>(
  store: SlotStore,
  programId: string,
  slots: { first?: number; count: number; all?: number; whenFull: () => Error },
  write: (slot: number) => Promise<Result>,
): Promise<Result> => {
  const { first = 0, count, all = count, whenFull } = slots;
  for (let attempt = 1; attempt <= count; attempt++) {
    const taken = new Set((await store.valuesBeginningWith(programId, 'SLOT', '', all)).map(({ value }) => value));
    const free = Array.from({ length: count }, (_, at) => first + at).filter((slot) => !taken.has(String(slot)));
    // Any of them: concurrent requests would all want the first.
    const slot = free.length > 0 ? free[randomInt(free.length)] : undefined;
    if (slot === undefined) break;
    try {
      return await write(slot);
    } catch (error) {
      if (!(error instanceof SlotTaken)) throw error;
    }
  }
  throw whenFull();
};
