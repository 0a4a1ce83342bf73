import { describe, expect, it } from 'vitest';
import { FeedPage, maxPageBytes, Page } from '../../shared/platform/table/page.ts';

const entries = [
  { item: 1, position: 'a' },
  { item: 2, position: 'b' },
];
const doubled = {
  entries: [
    { item: 2, position: 'a' },
    { item: 4, position: 'b' },
  ],
  items: [2, 4],
  next: 'c',
};

describe('a page', () => {
  it('has its items, and keeps the positions and the next page of what is made of them', async () => {
    const page = new Page(entries, 'c');
    expect(page.items).toEqual([1, 2]);
    expect(page.map((item) => item * 2)).toMatchObject(doubled);
    expect(await page.mapAwaiting(async (item) => item * 2)).toMatchObject(doubled);
  });

  it('of a feed ends at a position, and links to a next page only if there is more', () => {
    expect(new FeedPage(entries, { end: 'b', hasMore: true })).toMatchObject({ items: [1, 2], end: 'b', next: 'b' });
    expect(new FeedPage(entries, { end: 'b', hasMore: false })).toMatchObject({ end: 'b', next: undefined });
  });

  it('ends below the 6 MB of a response of Lambda, and is worth a request', () => {
    expect(maxPageBytes).toBeLessThan(6 * 1024 * 1024);
    expect(maxPageBytes).toBeGreaterThan(1024 * 1024);
  });
});
