import { beforeAll, describe, expect, it } from 'vitest';
import { getProgram } from '../../shared/domain/programs/repository.ts';
import { createClickId } from '../../shared/domain/tracking/click-id.ts';
import { appUrl } from '../support/browser.ts';
import { eventually } from '../support/events.ts';
import { sendRequest } from '../support/http.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';

interface Owner {
  id: string;
  linkId: string;
}

let api: Api;
let amara: Owner;
let tom: Owner;
const today = new Date().toISOString().slice(0, 10);

const read = async (query: Record<string, string>) => {
  const { status, body } = await api.get(`/statistics?${new URLSearchParams({ from: today, to: today, ...query })}`);
  expect([query, status]).toEqual([query, 200]);
  return body;
};

const visit = (link: string, visitor: number, referer: string) =>
  sendRequest(`${appUrl()}/r/${api.programId}/${link}`, {
    method: 'GET',
    headers: { 'user-agent': `Mozilla/5.0 Chrome/140.0 visitor ${visitor}`, ...(referer && { referer }) },
  });

const ownerOf = async (link: string): Promise<Owner> => {
  const { id, affiliateLinks } = await makeAffiliate(api, { affiliateLink: link });
  return { id, linkId: affiliateLinks[0].id };
};

const nothing = { clicks: 0, referrals: 0, sales: 0, revenue: 0, refunds: 0, commission: 0 };

beforeAll(async () => {
  api = await makeProgram({ baseUrls: ['https://shop.example/'] });
  [amara, tom] = [await ownerOf('amara'), await ownerOf('tom')];
  for (let visitor = 0; visitor < 3; visitor++) await visit('amara', visitor, 'https://www.blog.example/post');
  await visit('tom', 9, '');
  const program = await getProgram(api.programId);
  const clickId = await createClickId(program, amara.linkId, new Date(), 'blog.example');
  await api.post('/referrals', { name: 'Priya', email: 'priya@example.com', clickId });
  const { body: sale } = await api.post('/sales', { totalEarned: 100, clickId });
  await api.post('/sales', { totalEarned: 50, referralId: tom.id });
  await api.patch('/sales', { saleId: sale.id, amount: 40 });
  const isCounted = async () => {
    const [all] = await read({});
    return (all.clicks === 4 && all.refunds === 40 && all.referrals === 1) || undefined;
  };
  await eventually('everything is counted', isCounted, 20_000);
});

const ofAmara = { clicks: 3, referrals: 1, sales: 1, revenue: 60, refunds: 40, commission: 12 };
const ofTom = { ...nothing, clicks: 1, sales: 1, revenue: 50, commission: 10 };
const ofAll = { clicks: 4, referrals: 1, sales: 2, revenue: 110, refunds: 40, commission: 22 };
const at = { from: today, to: today };

describe('statistics', () => {
  it('sum everything of the program, of an affiliate, and of a link', async () => {
    expect(await read({})).toEqual([{ ...at, key: null, ...ofAll }]);
    expect(await read({ affiliateId: amara.id })).toEqual([{ ...at, key: null, ...ofAmara }]);
    expect(await read({ affiliateId: tom.id })).toEqual([{ ...at, key: null, ...ofTom }]);
    expect(await read({ link: 'AMARA' })).toEqual([{ ...at, key: null, ...ofAmara }]);
  });

  it('are grouped by link, affiliate, or the site that visitors came from', async () => {
    const byKey = async (query: Record<string, string>) =>
      Object.fromEntries((await read(query)).map(({ key, clicks }: { key: string; clicks: number }) => [key, clicks]));
    expect(await byKey({ groupBy: 'link' })).toEqual({ [amara.linkId]: 3, [tom.linkId]: 1 });
    expect(await byKey({ groupBy: 'link', affiliateId: tom.id })).toEqual({ [tom.linkId]: 1 });
    expect(await byKey({ groupBy: 'link', link: 'amara' })).toEqual({ [amara.linkId]: 3 });
    expect(await byKey({ groupBy: 'affiliate' })).toEqual({ [amara.id]: 3, [tom.id]: 1 });
    expect(await byKey({ groupBy: 'affiliate', affiliateId: tom.id })).toEqual({ [tom.id]: 1 });
    expect(await byKey({ groupBy: 'referrer' })).toEqual({ 'blog.example': 3 });
    expect(await byKey({ groupBy: 'referrer', link: 'tom' })).toEqual({});
    expect(await read({ groupBy: 'referrer', link: 'amara' })).toEqual([{ ...at, key: 'blog.example', ...ofAmara }]);
  });

  it('have a line for each day or month of the period, also where nothing happened', async () => {
    const days = await read({ from: '2025-12-30', to: '2026-01-02' });
    expect(days.map(({ from, to }: { from: string; to: string }) => [from, to])).toEqual(
      ['2025-12-30', '2025-12-31', '2026-01-01', '2026-01-02'].map((day) => [day, day]),
    );
    expect(days[0]).toEqual({ from: '2025-12-30', to: '2025-12-30', key: null, ...nothing });
    const months = await read({ from: '2025-12-30', to: '2026-02-28', interval: 'month' });
    expect(months.map(({ from, to }: { from: string; to: string }) => `${from} ${to}`)).toEqual([
      '2025-12-30 2025-12-31',
      '2026-01-01 2026-01-31',
      '2026-02-01 2026-02-28',
    ]);
  });

  it('refuse a period that is too long or turned round, and filters that say different things', async () => {
    const refused = async (query: Record<string, string>) => {
      const { status, body } = await api.get(
        `/statistics?${new URLSearchParams({ from: today, to: today, ...query })}`,
      );
      return [status, body.details?.[0].path];
    };
    expect(await refused({ from: '2024-01-01', to: '2025-01-01' })).toEqual([400, 'to']);
    expect(await refused({ from: '2026-02-02', to: '2026-02-01' })).toEqual([400, 'to']);
    expect(await refused({ from: '2026-02-30' })).toEqual([400, 'from']);
    expect(await refused({ link: 'amara', affiliateId: amara.id })).toEqual([400, 'link']);
    expect(await refused({ link: 'amara', groupBy: 'affiliate' })).toEqual([400, 'groupBy']);
    expect(await refused({ affiliateId: amara.id, groupBy: 'referrer' })).toEqual([400, 'groupBy']);
    expect((await api.get(`/statistics?from=${today}&to=${today}&link=nobody`)).status).toBe(404);
  });
});
