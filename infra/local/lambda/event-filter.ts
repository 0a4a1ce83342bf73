import * as z from 'zod';

type Pattern = { [key: string]: unknown };

export const filterCriteria = z
  .object({ Filters: z.array(z.object({ Pattern: z.string().optional() })).default([]) })
  .optional();

/** Makes the test of a mapping's FilterCriteria: a record passes if one of the patterns matches; none passes all. */
export function createFilter(criteria: z.output<typeof filterCriteria>): (record: unknown) => boolean {
  const patterns: unknown[] = (criteria?.Filters ?? []).map(({ Pattern }) => JSON.parse(Pattern ?? '{}'));
  if (patterns.length === 0) return () => true;
  return (record) => patterns.some((pattern) => isObject(pattern) && matches(pattern, record));
}

function matches(pattern: Pattern, value: unknown): boolean {
  return Object.entries(pattern).every(([key, expected]) => {
    const actual = isObject(value) ? value[key] : undefined;
    if (Array.isArray(expected)) return expected.some((rule) => ruleHolds(rule, actual));
    return isObject(expected) && matches(expected, actual);
  });
}

function ruleHolds(rule: unknown, actual: unknown): boolean {
  if (!isObject(rule)) return rule === actual;
  if ('exists' in rule) return rule.exists === (actual !== undefined);
  if (typeof rule.prefix === 'string') return typeof actual === 'string' && actual.startsWith(rule.prefix);
  if (typeof rule.suffix === 'string') return typeof actual === 'string' && actual.endsWith(rule.suffix);
  const excluded = rule['anything-but'];
  if (Array.isArray(excluded)) return actual !== undefined && !excluded.includes(actual);
  throw new Error(`The local stack does not know the filter rule ${JSON.stringify(rule)}.`);
}

const isObject = (value: unknown): value is Pattern =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
