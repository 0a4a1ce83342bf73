/**
 * The id of a sale: a whole number of at most 53 bits, which JSON keeps exactly, that begins with its time: 41 bits of
 * milliseconds since 2024 (until 2093), then 12 random ones. Kept with leading zeros, so that the order of the text is
 * the order of time. Decisions, "/sales".
 */
const epochMilliseconds = Date.UTC(2024, 0, 1);
const idsPerMillisecond = 4096;
const digits = 16;

const textOf = (id: number): string => String(id).padStart(digits, '0');
const firstIdAt = (milliseconds: number): number => Math.max(0, milliseconds - epochMilliseconds) * idsPerMillisecond;

/** A new id. `randomBelow(n)` gives a whole number from 0 to n - 1. */
export const newSaleId = (now: Date, randomBelow: (bound: number) => number): string =>
  textOf(firstIdAt(now.getTime()) + randomBelow(idsPerMillisecond));

/** The stored form of an id that a request named. */
export const storedSaleId = (id: number): string => textOf(id);

/** The lowest and the highest id that a sale recorded in that millisecond can have. */
export const saleIdEdges = {
  lowest: (milliseconds: number): string => textOf(Math.min(firstIdAt(milliseconds), Number.MAX_SAFE_INTEGER)),
  highest: (milliseconds: number): string =>
    milliseconds < epochMilliseconds
      ? textOf(0)
      : textOf(Math.min(firstIdAt(milliseconds) + idsPerMillisecond - 1, Number.MAX_SAFE_INTEGER)),
};
