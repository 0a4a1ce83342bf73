import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { readClickId } from '../../shared/domain/tracking/read-click-id.ts';
import { appUrl } from '../support/browser.ts';
import { eventually } from '../support/events.ts';
import { sendRequest } from '../support/http.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';

const shop = 'https://shop.example/';
const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36';

let api: Api;
let handle: string;
let affiliate: { id: string; affiliateLinks: { id: string; link: string }[] };
beforeAll(async () => {
  api = await makeProgram({ baseUrls: [shop, 'https://blog.shop.example/start?lang=en'] });
  handle = (await api.get('/program')).body.handle;
  affiliate = await makeAffiliate(api, { affiliateLink: 'Amara' });
});

const visit = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  sendRequest(new URL(path, appUrl()).href, {
    method,
    headers: { 'user-agent': chrome, ...headers },
  });

const destination = async (path: string): Promise<URL> => new URL((await visit(path)).headers.get('location') ?? '');

describe('a link', () => {
  it('leads to the first base URL with itself and a click that says whose it is', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    const response = await visit(`/r/${handle}/amara?utm_source=mail&click=forged&ref=other`);
    expect(response.status).toBe(302);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const url = new URL(response.headers.get('location') ?? '');
    expect(`${url.origin}${url.pathname}`).toBe(shop);
    expect([...url.searchParams.keys()]).toEqual(['utm_source', 'ref', 'click']);
    expect(url.searchParams.get('ref')).toBe('Amara');
    const click = await readClickId(url.searchParams.get('click') ?? '');
    expect(click).toMatchObject({ programId: api.programId, linkId: affiliate.affiliateLinks[0]?.id });
    expect(Date.parse(click?.clickedAt ?? '')).toBeGreaterThanOrEqual(before);
  });

  it('has in its click the site that the visitor came from, and none where it is the shop itself', async () => {
    const clicked = async (referer: string) => {
      const response = await visit(`/r/${handle}/amara`, { referer });
      return readClickId(new URL(response.headers.get('location') ?? '').searchParams.get('click') ?? '');
    };
    expect(await clicked('https://www.news.example/a?b=c')).toMatchObject({ referringHost: 'news.example' });
    expect(await clicked(`${shop}cart`)).toMatchObject({ referringHost: null });
    const body = { programId: api.programId, link: 'amara', url: shop, referrer: 'https://news.example/' };
    const { text } = await sendRequest(new URL('/track/clicks', appUrl()).href, {
      method: 'POST',
      headers: { 'user-agent': chrome },
      body: JSON.stringify(body),
    });
    expect(await readClickId(JSON.parse(text).clickId)).toMatchObject({ referringHost: 'news.example' });
  });

  it('is followed by the id of the program too, and in any letter case', async () => {
    expect((await destination(`/r/${api.programId}/AMARA`)).searchParams.get('ref')).toBe('Amara');
    expect((await destination(`/r/${handle.toUpperCase()}/aMaRa`)).searchParams.get('ref')).toBe('Amara');
  });

  it('leads to a page of the sites that the address names', async () => {
    const url = await destination(`/r/${handle}/amara?to=/sale%3Fcolor=red`);
    expect(url.href).toMatch(/^https:\/\/shop\.example\/sale\?color=red&ref=Amara&click=/);
    const other = await destination(`/r/${handle}/amara?to=https://blog.shop.example/post`);
    expect(other.href).toMatch(/^https:\/\/blog\.shop\.example\/post\?ref=Amara&click=/);
  });

  it('gives no credit and still leads to the shop where it does not exist, or its affiliate is not active', async () => {
    expect((await destination(`/r/${handle}/nobody`)).href).toBe(shop);
    expect((await destination(`/r/${handle}/${'x'.repeat(300)}`)).href).toBe(shop);
    const banned = await makeAffiliate(api, { affiliateLink: 'banned' });
    expect((await destination(`/r/${handle}/banned`)).searchParams.get('ref')).toBe('banned');
    await api.put('/affiliates', { affiliateId: banned.id, status: 'banned' });
    await eventually('no credit', async () => (await destination(`/r/${handle}/banned`)).href === shop || undefined);
    await api.delete('/links', { link: 'amara-gone' });
  });

  it('leads nowhere where no program has the handle, or the program has no site', async () => {
    for (const path of [
      `/r/${randomUUID()}/amara`,
      '/r/no-such-program/amara',
      '/r/%00/x',
      `/r/${(await makeProgram()).programId}/x`,
    ]) {
      const response = await visit(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.text).toContain('This link leads nowhere');
    }
    expect((await visit(`/r/${handle}/amara`, {}, 'POST')).status).toBe(405);
  });
});

describe('a click', () => {
  const figures = async (link: string) => {
    const { body } = await api.get(`/links?link=${link}`);
    const owner = await api.get(`/affiliates?id=${body.affiliate.id}`);
    return { link: body.clicks, affiliate: owner.body.numberOfClicks };
  };

  it('beyond the limit of its address is led to the shop and not counted, and the script is told to wait', async () => {
    // A program of its own, whose counter no other test has.
    const own = await makeProgram({ baseUrls: [shop] });
    await makeAffiliate(own, { affiliateLink: 'crowd' });
    const post = () =>
      sendRequest(`${appUrl()}/track/clicks`, {
        method: 'POST',
        headers: { 'user-agent': chrome },
        body: JSON.stringify({ programId: own.programId, link: 'crowd' }),
      });
    let refused = await post();
    for (let sent = 1; sent < 130 && refused.status === 200; sent++) refused = await post();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    const location = new URL((await visit(`/r/${own.programId}/crowd`)).headers.get('location') ?? '');
    expect(location.searchParams.get('click')).toBeTruthy();
  });

  it('counts once for a visitor within an hour, on the link and its affiliate, and for people only', async () => {
    await makeAffiliate(api, { affiliateLink: 'counted' });
    const path = `/r/${handle}/counted`;
    const visitors = ['one', 'two', 'three'].map((name) => ({ 'user-agent': `${chrome} ${name}` }));
    for (const headers of [...visitors, ...visitors]) await visit(path, headers);
    await visit(path, { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' });
    await visit(path, { 'user-agent': '' });
    await visit(path, { 'sec-purpose': 'prefetch;prerender' });
    await visit(path, {}, 'HEAD');
    await eventually('three clicks', async () => (await figures('counted')).link >= 3 || undefined, 20_000);
    expect(await figures('counted')).toEqual({ link: 3, affiliate: 3 });
  });
});
