/** 41 bits of milliseconds since 2024, 12 random; zeros keep text in time order. docs/behavior.md#sale-ids */
const epochMilliseconds = Date.UTC(2024, 0, 1);
const idsPerMillisecond = 4096;
const digits = 16;

/** Only imported sales are older. They all share the range of ids of this first day. */
const pastEndMilliseconds = Date.UTC(2024, 0, 2);
const pastBeginMilliseconds = Date.UTC(2000, 0, 1);
const pastScale =
  ((pastEndMilliseconds - epochMilliseconds) * idsPerMillisecond) / (pastEndMilliseconds - pastBeginMilliseconds);

const textOf = (id: number): string => String(id).padStart(digits, '0');
const firstIdAt = (milliseconds: number): number =>
  milliseconds >= pastEndMilliseconds
    ? (milliseconds - epochMilliseconds) * idsPerMillisecond
    : Math.floor(Math.max(0, milliseconds - pastBeginMilliseconds) * pastScale);

/** `randomBelow(n)` returns an integer from 0 to n - 1. */
export const newSaleId = (now: Date, randomBelow: (bound: number) => number): string =>
  textOf(firstIdAt(now.getTime()) + randomBelow(idsPerMillisecond));

const minuteMilliseconds = 60_000;
const secondMilliseconds = 1000;

/** Within the minute or the second that the time names, because files have many sales of one. `randomBelow` as above. */
export const importedSaleId = (createdAt: Date, randomBelow: (bound: number) => number): string => {
  const at = createdAt.getTime();
  const named = [minuteMilliseconds, secondMilliseconds].find((unit) => at % unit === 0) ?? 1;
  const first = firstIdAt(at);
  return textOf(first + randomBelow(Math.max(1, firstIdAt(at + named) - first)));
};

export const storedSaleId = (id: number): string => textOf(id);

export const saleIdEdges = {
  lowest: (milliseconds: number): string => textOf(Math.min(firstIdAt(milliseconds), Number.MAX_SAFE_INTEGER)),
  highest: (milliseconds: number): string =>
    textOf(Math.min(Math.max(0, firstIdAt(milliseconds + 1) - 1), Number.MAX_SAFE_INTEGER)),
};
