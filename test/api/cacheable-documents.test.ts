import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, inject, it } from 'vitest';
import { CacheableDocument } from '../../shared/http/cacheable-document.ts';
import { connectorUrl } from '../connector/platform.ts';
import { makeProgram, request } from '../support/program.ts';

describe.each(['/openapi.json', '/docs', connectorUrl('/openapi.json')])('%s', (path) => {
  it('may be kept by caches, and is not sent again to who has it', async () => {
    const first = await request('GET', path, { headers: { 'accept-encoding': 'identity' } });
    expect(first.status).toBe(200);
    expect(first.headers.get('cache-control')).toBe('public, max-age=300');
    expect(first.headers.get('vary')).toContain('accept-encoding');
    const etag = first.headers.get('etag') ?? '';
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await request('GET', path, { headers: { 'if-none-match': known } });
      expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' });
      expect(again.headers.get('etag')).toMatch(/^"[^"]+"$/);
      expect(again.headers.get('cache-control')).toBe('public, max-age=300');
    }
    expect((await request('GET', path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('is compressed as the caller can read it', async () => {
    const plain = await request('GET', path, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    const etags = new Set([plain.headers.get('etag')]);
    for (const [accepted, encoding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, GZIP;q=0.5', 'gzip'],
    ]) {
      // fetch decompresses what it gets.
      const url = path.startsWith('http') ? path : `${inject('baseUrl')}${path}`;
      const response = await fetch(url, { headers: { 'accept-encoding': accepted ?? '' } });
      expect(response.headers.get('content-encoding')).toBe(encoding);
      expect(await response.text()).toBe(plain.text);
      etags.add(response.headers.get('etag'));
    }
    expect(etags.size).toBe(3);
  });
});

it('a compressed document is less than a quarter of its text', () => {
  const text = '{"name":"value"},'.repeat(5000);
  const document = new CacheableDocument(text, { 'content-type': 'application/json' });
  for (const [encoding, decompress] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const { body = '', isBase64Encoded } = document.respond({ 'accept-encoding': encoding });
    const bytes = Buffer.from(body, 'base64');
    expect(isBase64Encoded).toBe(true);
    expect(bytes.length).toBeLessThan(text.length / 4);
    expect(decompress(bytes).toString()).toBe(text);
  }
});

it('every response says that its type is what it is, and is reached by https alone', async () => {
  const { apiKey } = await makeProgram();
  const authorization = `Bearer ${apiKey}`;
  const responses = await Promise.all([
    request('GET', '/openapi.json'),
    request('GET', '/docs'),
    request('GET', '/affiliates', { headers: { authorization } }),
    request('GET', '/affiliates'),
    request('PUT', '/affiliates', { headers: { authorization, 'content-type': 'application/json' }, body: '{}' }),
    request('GET', '/nothing-here'),
    request('POST', connectorUrl('/token'), { headers: { 'content-type': 'application/json' }, body: '{}' }),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 401, 400, 404, 400]);
  for (const { headers } of responses) {
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('strict-transport-security')).toBe('max-age=63072000');
  }
});
