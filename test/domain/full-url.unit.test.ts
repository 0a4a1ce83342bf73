import { expect, it } from 'vitest';
import { fullUrl } from '../../shared/domain/affiliates/link-rules.ts';

it.each([
  ['https://example.com', 'https://example.com/?ref=amara-2'],
  ['https://example.com/shop', 'https://example.com/shop?ref=amara-2'],
  ['https://example.com/shop/?lang=de&ref=old#top', 'https://example.com/shop/?lang=de&ref=amara-2#top'],
  ['http://localhost:3000/a%20b', 'http://localhost:3000/a%20b?ref=amara-2'],
])('a link on %s is %s', (baseUrl, expected) => {
  expect(fullUrl(baseUrl, 'amara-2')).toBe(expected);
});
