import { expect, it } from 'vitest';
import { logoUrl, originLines } from '../../shared/contract/pages/portal-settings-fields.ts';
import { shortenedEmail } from '../../shared/portal/shortened-email.ts';

it.each([
  ['amara@shop.example', 'a…@s….example'],
  ['amara.okafor@mail.shop.co.uk', 'a…@m….uk'],
  ['ab@cd.io', '…@….io'],
  ['a@b.example', '…@….example'],
  ['"a@b"@shop.example', '"…@s….example'],
  ['', 'Not known'],
  [null, 'Not known'],
])('of the email %j an affiliate sees %j', (email, shown) => {
  expect(shortenedEmail(email)).toBe(shown);
});

it.each([
  ['https://shop.example', ['https://shop.example']],
  [
    'https://shop.example/\nhttps://WWW.shop.example:8443\n\nhttps://shop.example',
    ['https://shop.example', 'https://www.shop.example:8443'],
  ],
  ['http://localhost:3000', ['http://localhost:3000']],
  ['', []],
])('%j are the origins %j', (text, origins) => {
  expect(originLines.parse(text)).toEqual(origins);
});

it.each([
  'http://shop.example',
  'https://shop.example/path',
  'https://shop.example?a=b',
  'https://*.shop.example',
  'https://user@shop.example',
  "https://shop.example;script-src'unsafe-inline'",
  'shop.example',
  '*',
  "'self'",
  'data:',
  Array.from({ length: 21 }, (_, at) => `https://shop${at}.example`).join('\n'),
])('%j is refused as origins of embedding pages', (text) => {
  expect(originLines.safeParse(text).success).toBe(false);
});

it.each([
  'http://cdn.example/logo.svg',
  'javascript:alert(1)',
  'data:image/png;base64,x',
  "https://cdn.example;script-src'unsafe-inline'/logo.svg",
  '/logo.svg',
  'https://a:b@cdn.example/',
])('%j is no logo', (address) => {
  expect(logoUrl.safeParse(address).success).toBe(false);
});

it('a logo keeps no character that would end a directive or an attribute', () => {
  expect(logoUrl.parse('https://cdn.example/a "b".svg')).toBe('https://cdn.example/a%20%22b%22.svg');
});
