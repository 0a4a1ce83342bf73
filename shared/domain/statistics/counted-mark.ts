const isItem = (value: unknown): value is Record<string, unknown> => value instanceof Object;

/** Records that have `attribution` and no mark were counted before there were marks. docs/behavior.md#statistics */
export const withCountedMark = (item: unknown): unknown =>
  isItem(item) && item.inStatistics === undefined && 'attribution' in item ? { ...item, inStatistics: true } : item;

/** Of a stored item: whether an earlier version left it out of the statistics. */
export const isNotCounted =
  'inStatistics = :no OR (attribute_not_exists(inStatistics) AND attribute_not_exists(attribution))';
