import { v7 } from 'uuid';

/** A UUIDv7: it begins with its time, so that records sorted by id are sorted by creation. */
export const newRecordId = (now: Date): string => v7({ msecs: now.getTime() });

const withTime = (milliseconds: number, rest: string): string => {
  const time = Math.max(0, milliseconds).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-${rest}`;
};

/** The lowest and the highest id that a record created in that millisecond can have. */
export const recordIdEdges = {
  lowest: (milliseconds: number): string => withTime(milliseconds, '0000-0000-000000000000'),
  highest: (milliseconds: number): string => withTime(milliseconds, 'ffff-ffff-ffffffffffff'),
};
