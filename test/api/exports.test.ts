import { expect, it } from 'vitest';
import { deleteProgram } from '../../shared/domain/programs/programs.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import { endExports, makeAbandonedExport } from '../support/done-export.ts';
import { eventually } from '../support/events.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';
import { makeStoredSale, storeAll, unnoticed } from '../support/sales.ts';
import { filesIn } from '../support/zip-files.ts';
import { makeWorld } from './every-operation.ts';
import { makeBatch, pay, sell, stamped } from './payout-calls.ts';

const exported = async (api: Api) => {
  const { status, body } = await api.post('/exports', {});
  expect([status, body.status, body.downloadUrl]).toEqual([200, 'REQUESTED', null]);
  return eventually('an export that is done', async () => {
    const { body: now } = await api.get(`/exports/${body.id}`);
    return now.status === 'DONE' && now;
  });
};

/** The status of a download by whoever has the address, and what it brings. */
const download = async (url: string) => {
  const response = await fetch(url);
  return { status: response.status, headers: response.headers, content: Buffer.from(await response.arrayBuffer()) };
};

it('a program is exported over HTTP, with as many records as its lists have, and downloaded by a link', async () => {
  const { api } = await makeWorld();
  const done = await exported(api);
  const { status, headers, content } = await download(done.downloadUrl);
  expect([status, content.length, headers.get('content-type')]).toEqual([200, done.bytes, 'application/zip']);
  expect(headers.get('content-disposition')).toContain(`filename="export-${done.createdAt.slice(0, 10)}.zip"`);
  const { linesOf } = filesIn(content);
  for (const name of [
    'affiliates',
    'links',
    'coupons',
    'promotional-codes',
    'referrals',
    'sales',
    'groups',
    'payout-batches',
  ]) {
    const { body: listed } = await api.get(`/${name}?limit=100`);
    const ids = (records: { id?: unknown }[]) => records.map(({ id }) => id).toSorted();
    expect(ids(linesOf(name)), name).toEqual(ids(listed));
    expect(done.counts[name]).toBe(listed.length);
  }
  const { body: affiliates } = await api.get('/affiliates?limit=100');
  expect(linesOf('affiliates').toReversed()).toEqual(affiliates);
});

it('a link downloads this file alone, and only as it was signed', async () => {
  const [api, stranger] = await Promise.all([makeProgram(), makeProgram()]);
  const [done, other] = [await exported(api), await exported(stranger)];
  const altered = (change: (url: URL) => void): string => {
    const url = new URL(done.downloadUrl);
    change(url);
    return url.href;
  };
  const refused = [
    altered((url) => {
      url.pathname = new URL(other.downloadUrl).pathname;
    }),
    altered((url) => url.searchParams.set('X-Amz-Expires', '86400')),
    altered((url) => {
      url.search = '';
    }),
  ];
  for (const url of refused) expect((await download(url)).status).toBe(403);
  expect(new URL(done.downloadUrl).searchParams.get('X-Amz-Expires')).toBe('300');
  expect((await stranger.get(`/exports/${done.id}`)).status).toBe(404);
});

it('the file goes with its program', async () => {
  const api = await makeProgram();
  const { downloadUrl } = await exported(api);
  expect((await download(downloadUrl)).status).toBe(200);
  await deleteProgram(api.programId);
  // S3 says 403 to those who may not list, and 404 to those who may.
  await eventually('a file that is gone', async () => (await download(downloadUrl)).status >= 403);
});

it('of requests at the same time one makes an export, and 409 says to wait for it', async () => {
  const api = await makeProgram();
  const responses = await Promise.all(Array.from({ length: 4 }, () => api.post('/exports', {})));
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
  expect(responses.find(({ status }) => status === 409)?.body.error).toContain('Wait until it ends');
});

it('an export that nobody ends is given up when another one is requested', async () => {
  const api = await makeProgram();
  const abandoned = await makeAbandonedExport(api.programId, new Date(Date.now() - 30 * 60_000));
  await exported(api);
  expect((await api.get(`/exports/${abandoned.id}`)).body).toMatchObject({
    status: 'FAILED',
    message: 'The export did not end in time, and another one was requested.',
  });
});

it('payouts of an affiliate who was deleted since are exported with their name', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api, { firstName: 'Wangari', lastName: 'Maathai' });
  const sale = await sell(api, affiliate.id, 100);
  await pay(api, (await makeBatch(api)).id);
  await stamped(api, sale.id);
  expect((await api.delete('/affiliates', { affiliateId: affiliate.id })).status).toBe(200);
  const { downloadUrl } = await exported(api);
  const payouts = filesIn((await download(downloadUrl)).content).linesOf('payouts');
  expect(payouts).toMatchObject([{ affiliate: { id: affiliate.id, firstName: 'Wangari' } }]);
});

it('an attempt that fails is followed by another one', async () => {
  const api = await makeProgram();
  const unreadable = { ...makeStoredSale('nobody'), totalEarnedMinor: 'much' as never };
  await storeAll(unnoticed(sales.createWrites(api.programId, unreadable)));
  const { body } = await api.post('/exports', {});
  // The sales come next, and one of them cannot be read.
  const attempted = await eventually('an attempt', async () => {
    const { body: now } = await api.get(`/exports/${body.id}`);
    return now.counts['promotional-codes'] === 0 && now;
  });
  // The next one begins a minute later.
  expect(attempted).toMatchObject({ status: 'RUNNING', finishedAt: null });
  await endExports(api.programId);
});
