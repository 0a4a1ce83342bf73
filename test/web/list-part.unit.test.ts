import { expect, it } from 'vitest';
import { Page, type PageRequest } from '../../shared/platform/table/page.ts';
import { itemsToAddUp, listPart } from '../../shared/web/lists/list-part.ts';

process.env.CURSOR_KEY = 'key of this test';

const page = (items: number[], next?: string) =>
  new Page(
    items.map((item) => ({ item, position: `${item}` })),
    next,
  );
const part = listPart({ id: 'showSales' }, 'program', '/sales', { status: 'ACTIVE', totals: 'on' });

it('a list that fits on one page is added up without another read', async () => {
  const none = () => Promise.reject(new Error('It was read again'));
  expect(await itemsToAddUp(part, page([1, 2]), false, none)).toEqual({ items: [1, 2], isAll: true });
  expect(await itemsToAddUp(part, page([1, 2], '2'), false, none)).toBeUndefined();
});

it('a longer one is added up on request, from its beginning, with one bounded read that says whether it was all', async () => {
  const requests: PageRequest[] = [];
  const read = async (request: PageRequest) => {
    requests.push(request);
    return page([1, 2, 3], '3');
  };
  const [, cursor = ''] = /cursor=([^&]+)/.exec(part.after('2')) ?? [];
  const second = listPart({ id: 'showSales' }, 'program', '/sales', {
    status: 'ACTIVE',
    cursor: decodeURIComponent(cursor),
  });
  expect(second.isFurtherOn).toBe(true);
  expect(await itemsToAddUp(second, page([3]), true, read)).toEqual({ items: [1, 2, 3], isAll: false });
  expect(requests).toMatchObject([{ after: undefined, limit: 1000, isOneRead: true }]);
});

it('the request for sums is in its own link alone, not in those of the next page and the file', () => {
  expect(part.totals).toBe('/sales?status=ACTIVE&totals=on');
  for (const address of [part.first, part.csv, part.after('2')]) expect(address).not.toContain('totals');
});
