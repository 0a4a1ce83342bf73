import { expect, it } from 'vitest';
import { dayCountOf, lastDays, periodBefore } from '../../../shared/domain/sales/sales-by-day.ts';

it.each([
  {
    count: 1,
    now: '2026-03-01T00:00:00.000Z',
    first: '2026-03-01',
    before: { first: '2026-02-28', last: '2026-02-28' },
  },
  {
    count: 7,
    now: '2026-03-01T23:59:59.999Z',
    first: '2026-02-23',
    before: { first: '2026-02-16', last: '2026-02-22' },
  },
  {
    count: 30,
    now: '2024-03-01T12:00:00.000Z',
    first: '2024-02-01',
    before: { first: '2024-01-02', last: '2024-01-31' },
  },
])(
  'the last $count days end today, in UTC, and those before them where they begin',
  ({ count, now, first, before }) => {
    const period = lastDays(count, new Date(now));
    expect(period).toEqual({ first, last: now.slice(0, 10) });
    expect(dayCountOf(period)).toBe(count);
    expect(periodBefore(period)).toEqual(before);
    expect(dayCountOf(before)).toBe(count);
  },
);
