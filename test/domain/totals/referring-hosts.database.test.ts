import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { sumsName } from '../../../shared/domain/statistics/day-sums.ts';
import { withHostNames } from '../../../shared/domain/totals/referring-hosts.ts';

it.each([
  { is: 'a new sale', sales: 1n, stored: 1 },
  { is: 'a deletion, after the sums of the day were purged,', sales: -1n, stored: 0 },
])('the host of $is takes $stored of the names of a day', async ({ sales, stored }) => {
  const id = sumsName({ name: 'REFERRER', day: '2026-03-01', id: 'link', host: 'blog.example' });
  const delta = { kind: 'SUMS' as const, id, amounts: { sales } };
  const { named, writes } = await withHostNames(randomUUID(), [delta]);
  expect(named).toEqual([delta]);
  expect(writes).toHaveLength(stored);
});
