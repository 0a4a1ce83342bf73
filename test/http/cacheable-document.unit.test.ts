import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { CacheableDocument } from '../../shared/http/cacheable-document.ts';

const text = '{"name":"value"},'.repeat(500);
const headers = { 'content-type': 'application/json' };
const document = new CacheableDocument(text, headers);
const encodingOf = (accepted: string | undefined) =>
  document.respond({ 'accept-encoding': accepted }).headers?.['content-encoding'];
const etagOf = (accepted?: string) => String(document.respond({ 'accept-encoding': accepted }).headers?.etag);

describe('a cacheable document', () => {
  it.each<{ accepted: string | undefined; encoding: string | undefined }>([
    { accepted: undefined, encoding: undefined },
    { accepted: '', encoding: undefined },
    { accepted: 'identity', encoding: undefined },
    { accepted: 'br', encoding: 'br' },
    { accepted: 'gzip', encoding: 'gzip' },
    { accepted: 'gzip, deflate, br', encoding: 'br' },
    { accepted: 'GZIP', encoding: 'gzip' },
    { accepted: ' gzip ;q=1,deflate', encoding: undefined },
    { accepted: 'deflate,  gzip;q=0.5', encoding: 'gzip' },
    { accepted: 'br;q=0, gzip', encoding: 'gzip' },
    { accepted: 'br; q=0.00, gzip', encoding: 'gzip' },
    { accepted: 'br;q=0.01', encoding: 'br' },
    { accepted: 'br;q=0.010', encoding: 'br' },
    { accepted: 'br;  q=0', encoding: undefined },
    { accepted: 'brotli, x-gzip', encoding: undefined },
  ])('is encoded as $encoding for $accepted', ({ accepted, encoding }) => {
    expect(encodingOf(accepted)).toBe(encoding);
  });

  it('is whole in every encoding, which caches keep apart', () => {
    const plain = document.respond({});
    const kept = { 'cache-control': 'public, max-age=300', vary: 'accept-encoding', ...headers };
    expect(plain).toEqual({
      statusCode: 200,
      body: text,
      headers: { ...kept, etag: expect.stringMatching(/^"[\w-]{27}"$/) },
    });
    for (const [encoding, decompress] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { body = '', ...response } = document.respond({ 'accept-encoding': encoding });
      const etag = etagOf().replace(/"$/, `-${encoding}"`);
      const expected = { ...kept, etag, 'content-encoding': encoding };
      expect(response).toEqual({ statusCode: 200, isBase64Encoded: true, headers: expected });
      expect(decompress(Buffer.from(body, 'base64')).toString()).toBe(text);
      expect(document.respond({ 'accept-encoding': encoding }).body).toBe(body);
    }
  });

  it('has another ETag with another text', () => {
    const other = new CacheableDocument(`${text} `, headers).respond({}).headers?.etag;
    expect(other).not.toBe(etagOf());
    expect(new CacheableDocument(text, {}).respond({}).headers?.etag).toBe(etagOf());
  });

  it('is not sent to who has it, in whatever encoding', () => {
    const [plain, br, gzip] = [etagOf(), etagOf('br'), etagOf('gzip')];
    for (const known of [plain, br, gzip, `W/${plain}`, `"other",${gzip}`, `"other" ,  W/${br}`, '*', ' * '])
      expect(document.respond({ 'if-none-match': known }), known).toEqual({
        statusCode: 304,
        headers: { 'cache-control': 'public, max-age=300', vary: 'accept-encoding', etag: plain },
      });
    for (const known of ['', '"other"', plain.slice(1, -1), `x W/${plain}`, `W/W/${plain}`])
      expect(document.respond({ 'if-none-match': known }), known).toMatchObject({ statusCode: 200, body: text });
  });

  it('is kept for a year where its address changes with it', () => {
    const immutable = new CacheableDocument(text, headers, { isImmutable: true });
    expect(immutable.respond({}).headers?.['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  it('is sent as it was compressed before', () => {
    const brotli = brotliCompressSync('compressed before').toString('base64');
    const compressed = new CacheableDocument(text, headers, { brotli });
    expect(compressed.respond({ 'accept-encoding': 'br' }).body).toBe(brotli);
    expect(compressed.respond({ 'accept-encoding': 'gzip' }).body).not.toBe(brotli);
  });
});
