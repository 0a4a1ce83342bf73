import { v7 } from 'uuid';

/** A UUIDv7: sorted by id is sorted by creation. */
export const newRecordId = (now: Date): string => v7({ msecs: now.getTime() });

const withTime = (milliseconds: number, rest: string): string => {
  const time = Math.max(0, milliseconds).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-${rest}`;
};

export const recordIdEdges = {
  lowest: (milliseconds: number): string => withTime(milliseconds, '0000-0000-000000000000'),
  highest: (milliseconds: number): string => withTime(milliseconds, 'ffff-ffff-ffffffffffff'),
};
