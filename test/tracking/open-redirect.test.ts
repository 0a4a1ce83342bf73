import { beforeAll, expect, it } from 'vitest';
import { appUrl } from '../support/browser.ts';
import { sendRequest } from '../support/http.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';

// No value leads a visitor away from the sites of the program, and none is repeated unescaped.

const origin = 'https://shop.example';
const evil = 'evil.example';

const hostile = [
  `https://${evil}/`,
  `http://${evil}`,
  `//${evil}`,
  `///${evil}`,
  `////${evil}/%2f..`,
  `/\\${evil}`,
  `\\\\${evil}`,
  `\\/${evil}`,
  `/\t/${evil}`,
  `/\n/${evil}`,
  `/\r/${evil}`,
  `\t//${evil}`,
  ` //${evil}`,
  `https:${evil}`,
  `https:/${evil}`,
  `https:\\\\${evil}`,
  `https:///${evil}`,
  `HTTPS://${evil}`,
  `https://${evil}%00.shop.example`,
  `https://shop.example.${evil}/`,
  `https://shop.example@${evil}/`,
  `https://shop.example:pass@${evil}/`,
  `https://user@shop.example/`,
  `https://user:pass@shop.example/`,
  `https://shop.example%40${evil}/`,
  `https://shop.example%2e${evil}/`,
  `https://shop.example\\@${evil}/`,
  `https://${evil}#@shop.example/`,
  `https://${evil}?@shop.example/`,
  `https://${evil}\\.shop.example/`,
  `https://evil${'shop.example'}/`,
  'https://shop.example:8443/',
  'http://shop.example/',
  'https://sub.shop.example/',
  'https://shop.example./',
  'https://shop。example/',
  'https://ｓhop.example.evil.example/',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  ' javascript:alert(1)',
  'javascript://shop.example/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'ftp://shop.example/',
  'blob:https://shop.example/1',
  'mailto:a@evil.example',
  'ws://shop.example/',
  'intent://evil.example#Intent;end',
  'about:blank',
  '//evil.example:443/..//',
  '/..//evil.example',
  '/.//evil.example',
  './/evil.example',
  '%2f%2fevil.example',
  '/%09/evil.example',
  '/%5cevil.example',
  'https://[::1]/',
  'https://127.0.0.1/',
  'https://0x7f000001/',
  '/\'"><script>alert(1)</script>',
  '/a\r\nset-cookie: a=1',
  'https://',
  '::',
];

let api: Api;
let handle: string;
beforeAll(async () => {
  api = await makeProgram({ baseUrls: [`${origin}/start`] });
  handle = (await api.get('/program')).body.handle;
  await makeAffiliate(api, { affiliateLink: 'amara' });
});

const visit = (path: string) =>
  sendRequest(`${appUrl()}${path}`, { method: 'GET', headers: { 'user-agent': 'Mozilla/5.0 Chrome/140.0' } });

const expectHome = (name: string, location: string | null) => {
  const url = new URL(location ?? '');
  expect([name, url.origin, url.username]).toEqual([name, origin, '']);
  expect(location).toMatch(/^https:\/\/shop\.example\/[!-~]*$/);
  expect(location).not.toMatch(/["<>\\^`{|}]/);
};

it(`a page that the address names stays within the sites, for ${hostile.length} hostile values`, async () => {
  expect(hostile.length).toBeGreaterThan(60);
  for (const to of hostile) {
    const value = encodeURIComponent(to);
    const names = ['to', 'x', 'ref', 'via', 'click'];
    const response = await visit(`/r/${handle}/amara?${names.map((name) => `${name}=${value}`).join('&')}`);
    expect([to, response.status]).toEqual([to, 302]);
    expectHome(to, response.headers.get('location'));
    const { searchParams } = new URL(response.headers.get('location') ?? '');
    expect([searchParams.getAll('ref'), searchParams.get('via')]).toEqual([['amara'], null]);
    expect(searchParams.getAll('click')).toEqual([expect.stringMatching(/^[A-Za-z0-9_-]{50,200}$/)]);
    expect(response.headers.get('set-cookie')).toBeNull();
  }
});

it('a page of a link stays within the sites, when it is set and when the sites have changed since', async () => {
  for (const destinationUrl of hostile) {
    const response = await api.put('/links', { link: 'amara', destinationUrl });
    if (response.status === 200) expectHome(destinationUrl, response.body.destinationUrl.replace(/ /g, '%20'));
    else expect([destinationUrl, response.status]).toEqual([destinationUrl, 400]);
  }
  expect((await api.put('/links', { link: 'amara', destinationUrl: `${origin}/spring?a=1` })).status).toBe(200);
});

it('neither handle nor link reaches a page or a header as it came', async () => {
  for (const text of hostile) {
    const segment = encodeURIComponent(text).replaceAll('.', '%2E');
    for (const path of [`/r/${handle}/${segment}`, `/r/${segment}/amara`]) {
      const response = await visit(path);
      const location = response.headers.get('location');
      if (location !== null) expectHome(path, location);
      expect([path, [302, 404].includes(response.status)]).toEqual([path, true]);
      expect(response.text).not.toContain('evil.example');
      expect(response.text).not.toContain('<script>alert');
    }
  }
});

it('no value that the script sends is repeated by its response', async () => {
  for (const text of hostile.filter((one) => one.includes('evil') || one.includes('script'))) {
    const {
      status,
      headers,
      text: body,
    } = await sendRequest(`${appUrl()}/track/clicks`, {
      method: 'POST',
      headers: { 'user-agent': 'Mozilla/5.0 Chrome/140.0' },
      body: JSON.stringify({ programId: api.programId, link: text, url: text, referrer: text }),
    });
    expect([text, status]).toEqual([text, 400]);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).not.toContain('evil');
    expect(body).not.toContain('script');
  }
});
