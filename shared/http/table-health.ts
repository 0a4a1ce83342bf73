import { getItem } from '../platform/table/items.ts';

const maxAgeMilliseconds = 5000;
let checkedAt = Number.NEGATIVE_INFINITY;
let check: Promise<unknown> = Promise.resolve();

/** Resolves if the table could be read in the last five seconds. Anybody may ask, so many requests must not cost many reads. */
export const checkTable = (now: number): Promise<unknown> => {
  if (now - checkedAt >= maxAgeMilliseconds) {
    checkedAt = now;
    check = getItem('records', { pk: 'HEALTH', sk: 'HEALTH' }, { isConsistent: false });
  }
  return check;
};
