const isItem = (value: unknown): value is Record<string, unknown> => value instanceof Object;

/**
 * Reads a sale or referral with its mark `inStatistics`. The first version that had statistics counted what it created without a
 * mark: it is known by its attribution, which came with it. docs/behavior.md#statistics
 */
export const withCountedMark = (item: unknown): unknown =>
  isItem(item) && item.inStatistics === undefined && 'attribution' in item ? { ...item, inStatistics: true } : item;

/** Of a stored item: whether an earlier version left it out of the statistics. */
export const isNotCounted =
  'inStatistics = :no OR (attribute_not_exists(inStatistics) AND attribute_not_exists(attribution))';
