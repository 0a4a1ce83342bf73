import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import { beforeAll, expect, it } from 'vitest';
import { appUrl, type Browser, signedIn } from '../support/browser.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';

const sites = ['https://shop.example/', 'https://shop.example/fr?currency=EUR'];

let api: Api;
let browser: Browser;
let path: string;
let handle: string;
beforeAll(async () => {
  api = await makeProgram({ baseUrls: sites });
  const { affiliateLinks } = await makeAffiliate(api, { affiliateLink: 'amara' });
  handle = (await api.get('/program')).body.handle;
  path = `/programs/${api.programId}/links/${affiliateLinks[0].id}`;
  browser = await signedIn(api.ownerEmail);
});

/** The bytes of a file, which a visit would read as text. */
const download = (address: string) => {
  const cookies = browser.cookies.get(new URL(appUrl()).hostname) ?? new Map();
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return fetch(new URL(address, appUrl()), { headers: { cookie } });
};

it('a link offers a QR code for each of its addresses, as SVG and as PNG, and a camera reads the address', async () => {
  const { text } = await browser.visit(path);
  const offered = [...text.matchAll(/href="([^"]+\/qr-code\?[^"]+)"/g)].map(([, address = '']) =>
    address.replaceAll('&amp;', '&'),
  );
  expect(offered).toHaveLength(2 * (1 + sites.length));
  const read: (string | undefined)[] = [];
  for (const address of offered) {
    const response = await download(address);
    expect(response.status, address).toBe(200);
    if (address.includes('format=svg')) {
      expect(response.headers.get('content-type')).toBe('image/svg+xml');
      expect(response.headers.get('content-disposition')).toBe('attachment; filename="amara.svg"');
      expect(await response.text()).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
      continue;
    }
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="amara.png"');
    const { data, width, height } = PNG.sync.read(Buffer.from(await response.arrayBuffer()));
    read.push(jsqr.default(new Uint8ClampedArray(data), width, height)?.data);
  }
  expect(read).toEqual([
    `${appUrl()}/r/${handle}/amara`,
    'https://shop.example/?ref=amara',
    'https://shop.example/fr?currency=EUR&ref=amara',
  ]);
});

it('a QR code is of a base URL of the program, and of no other address', async () => {
  const foreign = new URLSearchParams({ site: 'https://evil.example/' });
  expect((await browser.visit(`${path}/qr-code?${foreign}`)).status).toBe(404);
  expect((await browser.visit(`${path}/qr-code`)).status).toBe(200);
});
