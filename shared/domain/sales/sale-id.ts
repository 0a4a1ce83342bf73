/** 41 bits of milliseconds since 2024, 12 random; zeros keep text in time order. docs/behavior.md#sale-ids */
const epochMilliseconds = Date.UTC(2024, 0, 1);
const idsPerMillisecond = 4096;
const digits = 16;

const textOf = (id: number): string => String(id).padStart(digits, '0');
const firstIdAt = (milliseconds: number): number => Math.max(0, milliseconds - epochMilliseconds) * idsPerMillisecond;

/** `randomBelow(n)` returns an integer from 0 to n - 1. */
export const newSaleId = (now: Date, randomBelow: (bound: number) => number): string =>
  textOf(firstIdAt(now.getTime()) + randomBelow(idsPerMillisecond));

export const storedSaleId = (id: number): string => textOf(id);

export const saleIdEdges = {
  lowest: (milliseconds: number): string => textOf(Math.min(firstIdAt(milliseconds), Number.MAX_SAFE_INTEGER)),
  highest: (milliseconds: number): string =>
    milliseconds < epochMilliseconds
      ? textOf(0)
      : textOf(Math.min(firstIdAt(milliseconds) + idsPerMillisecond - 1, Number.MAX_SAFE_INTEGER)),
};
