import { randomInt } from 'node:crypto';
import type { UniqueValue } from './keys.ts';

/** Slots bound a kind of record: a unique value per slot, so that concurrent requests cannot both take the last one. */

class SlotTaken extends Error {
  override name = 'SlotTaken';
}

export const slotOf = (slot: number): UniqueValue => ({
  value: String(slot),
  refusal: () => new SlotTaken(`Slot ${slot} is taken`),
});

interface SlotStore {
  valuesBeginningWith: (
    programId: string,
    name: 'SLOT',
    prefix: string,
    range: { count: number },
  ) => Promise<readonly { value: string }[]>;
}

/** Retries with another slot; throws `whenFull`. `first` and `count` select among `all` slots. */
export const withFreeSlot = async <Result>(
  store: SlotStore,
  programId: string,
  slots: { first?: number; count: number; all?: number; whenFull: () => Error },
  write: (slot: number) => Promise<Result>,
): Promise<Result> => {
  const { first = 0, count, all = count, whenFull } = slots;
  for (let attempt = 1; attempt <= count; attempt++) {
    const taken = new Set(
      (await store.valuesBeginningWith(programId, 'SLOT', '', { count: all })).map(({ value }) => value),
    );
    const free = Array.from({ length: count }, (_, at) => first + at).filter((slot) => !taken.has(String(slot)));
    // A random one: concurrent requests would all want the first.
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
