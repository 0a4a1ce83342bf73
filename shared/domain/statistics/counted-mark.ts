const isItem = (value: unknown): value is Record<string, unknown> => value instanceof Object;

/** Records with `attribution` but no mark were counted by the version before marks. docs/behavior.md#statistics */
export const withCountedMark = (item: unknown): unknown =>
  isItem(item) && item.inStatistics === undefined && 'attribution' in item ? { ...item, inStatistics: true } : item;

/** Filters stored items that an earlier version left out of the statistics. */
export const isNotCounted =
  'inStatistics = :no OR (attribute_not_exists(inStatistics) AND attribute_not_exists(attribution))';
