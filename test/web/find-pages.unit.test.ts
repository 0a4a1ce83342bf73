import { expect, it } from 'vitest';
import { routeField, routeIn } from '../../infra/local/lambda/traced-route.ts';
import { routePathOfPage } from '../../shared/contract/page.ts';
import { pages } from '../../shared/contract/pages/pages.ts';
import { pageFinder } from '../../shared/web/find-pages.ts';

const find = pageFinder(
  pages.map((declared) => ({ declared, handle: () => ({ kind: 'redirect', to: '/', cookies: [] }) })),
);

const found = (path: string) => {
  const [, programId = '', section, page] = /^\/programs\/([^/]+)\/([^/]+)\/(.*)$/.exec(path) ?? [];
  const route = `ANY /programs/{programId}/${section}/{page+}`;
  const { pages: some, parameters } = find({ routeKey: route, pathParameters: { programId, page } });
  return [some.map(({ declared }) => declared.id), parameters];
};

it('the pages of a section share a route, and each is found by its own path', () => {
  expect(routePathOfPage({ path: '/programs/{programId}/sales/{saleNumber}/edit' })).toBe(
    '/programs/{programId}/sales/{page+}',
  );
  for (const path of ['/programs', '/programs/{programId}', '/programs/{programId}/sales'] as const)
    expect(routePathOfPage({ path })).toBe(path);
  expect(found('/programs/p/sales/7/edit')).toEqual([
    ['showSaleEdit', 'editSale'],
    { programId: 'p', saleNumber: '7' },
  ]);
  expect(found('/programs/p/payout-batches/b/payouts.csv')[0]).toEqual(['downloadPayouts']);
});

it('a fixed word of an address is never taken for the id of a record', () => {
  expect(found('/programs/p/sales/new')).toEqual([['showNewSale', 'addSale'], { programId: 'p' }]);
  expect(found('/programs/p/promotional-codes/bulk')[0]).toEqual(['showBulkCodes', 'addCodesInBulk']);
});

it.each([
  'sales/',
  'sales//edit',
  'sales/7/edit/',
  'sales/7/edit/more',
  'sales/7/Edit',
  'sales/{saleNumber}/x',
  'none/x',
])('nothing is found at %s', (below) => {
  expect(found(`/programs/p/${below}`)[0]).toEqual([]);
});

it('the local stack traces the page behind a shared route, without the ids in its address', () => {
  const event = {
    routeKey: 'ANY /programs/{programId}/webhooks/{page+}',
    pathParameters: { programId: 'p', page: `019a0000-0000-7000-8000-0000000000f3/${'x'.repeat(50)}/change` },
    requestContext: { http: { method: 'POST' } },
  };
  const head = `POST / HTTP/1.1\r\nx-amzn-trace-id: Root=1${routeField(event)}\r\n`;
  expect(routeIn(head)).toBe('POST /programs/{programId}/webhooks/*/*/change');
});
