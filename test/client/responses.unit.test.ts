import { afterEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../shared/client/client.ts';
import { AffiliateProgramError } from '../../shared/client/errors.ts';
import { responseOf } from '../../shared/client/response-info.ts';
import { coupon, responds, scripted } from './scripted-responses.ts';

const link = (text: string) => ({ link: text });
const textResponse =
  (type: string, text: string, headers: Record<string, string> = {}) =>
  () =>
    Promise.resolve(new Response(text, { headers: { 'content-type': type, ...headers } }));

describe('what a response says beside its body', () => {
  it('is its status, the id of its request and the version of its record', async () => {
    const { client } = scripted(responds(200, coupon, { 'x-request-id': 'r-1', etag: '"7"' }));
    const info = responseOf(await client.coupons.get('1'));
    expect(info).toMatchObject({ status: 200, requestId: 'r-1', etag: '"7"', next: undefined });
  });

  it('is left out where the response does not say it', async () => {
    const { client } = scripted(responds(200));
    const info = responseOf(await client.coupons.get('1'));
    expect(info?.requestId).toBeUndefined();
    expect(info?.etag).toBeUndefined();
  });

  it('is known of no other object', () => {
    expect(responseOf({ ...coupon })).toBeUndefined();
  });

  it('is not kept of a text, a number or null, which come back as they are', async () => {
    for (const content of ['text', 7, null]) {
      const { client } = scripted(responds(200, content));
      expect(await client.coupons.get('1')).toBe(content);
    }
  });
});

describe('pages', () => {
  const address = 'https://api.example.com/api/v1/coupons';

  it.each([
    ['with a space', `<${address}?cursor=c2>; rel="next"`],
    ['without a space', `<${address}?cursor=c2>;rel="next"`],
    ['with several spaces', `<${address}?cursor=c2>;  rel="next"`],
  ])('the next page is read from the Link header, %s', async (_name, header) => {
    const { client, sent } = scripted(responds(200, [coupon], link(header)), responds(200, []));
    const all = [];
    for await (const one of client.coupons.list()) all.push(one);
    expect(all).toEqual([coupon]);
    expect(new URL(sent[1]?.url ?? '').searchParams.get('cursor')).toBe('c2');
  });

  it('a Link header of another relation, or without one, is the last page', async () => {
    for (const headers of [{}, link(`<${address}?cursor=c2>; rel="prev"`)]) {
      const { client } = scripted(responds(200, [coupon], headers));
      expect(await client.coupons.list().page()).toMatchObject({ data: [coupon], next: undefined });
    }
  });

  it('a feed goes on after the event that the response names', async () => {
    const { client, sent } = scripted(responds(200, [coupon], { 'next-after': 'e9' }), responds(200, []));
    const page = await client.events.list({ after: 'e1' }).page();
    expect(page).toMatchObject({ after: 'e9' });
    expect(new URL(sent[0]?.url ?? '').searchParams.get('after')).toBe('e1');
  });

  it('a list that selects one record says how to read it', async () => {
    const { client } = scripted(responds(200, coupon));
    await expect(client.coupons.list({ id: '1' } as never).page()).rejects.toThrow('read it with get()');
  });
});

describe('content', () => {
  it('CSV is asked for by its type, and comes with the cursor of the rest', async () => {
    const next = link('<https://api.example.com/api/v1/payout-batches/1?cursor=c2>; rel="next"');
    const { client, sent } = scripted(textResponse('text/csv; charset=utf-8', 'a,b\n', next));
    expect(await client.payoutBatches.get('1', {}, { accept: 'text/csv' })).toEqual({ text: 'a,b\n', next: 'c2' });
    expect(new Headers(sent[0]?.init.headers).get('accept')).toBe('text/csv');
  });

  it('CSV without a Link header is whole', async () => {
    const { client } = scripted(textResponse('text/csv', 'a,b\n'));
    expect(await client.payoutBatches.get('1', {}, { accept: 'text/csv' })).toEqual({ text: 'a,b\n', next: undefined });
  });

  it('another text comes back as it is, and no type is asked for without the option', async () => {
    const { client, sent } = scripted(textResponse('text/plain', '{"id":"1"}'));
    expect(await client.coupons.get('1')).toBe('{"id":"1"}');
    expect(new Headers(sent[0]?.init.headers).has('accept')).toBe(false);
  });
});

describe('requests', () => {
  it('a read has neither a body nor a type of one', async () => {
    const { client, sent } = scripted(responds(200));
    await client.coupons.get('1');
    expect(sent[0]?.init).not.toHaveProperty('body');
    expect(new Headers(sent[0]?.init.headers).has('content-type')).toBe(false);
  });

  it('a filter that is null is left out', async () => {
    const { client, sent } = scripted(responds(200, []));
    await client.affiliates.list({ search: null } as never).page();
    expect(sent[0]?.url).toBe('https://api.example.com/api/v1/affiliates');
  });

  it.each(['https://api.example.com/v1', 'https://api.example.com/v1/', 'https://api.example.com/v1//'])(
    'the address %s is used without what ends it',
    async (baseUrl) => {
      const fetch = vi.fn<typeof globalThis.fetch>(responds(200));
      await createClient({ apiKey: 'key', baseUrl, fetch }).coupons.get('1');
      expect(fetch.mock.calls[0]?.[0]).toBe('https://api.example.com/v1/coupons/1');
    },
  );

  it.each([undefined, null, ''])('a read of %s sends nothing', async (id) => {
    const { client, sent } = scripted(responds(200));
    await expect(client.coupons.get(id as never)).rejects.toThrow('coupons.get needs the id of a record');
    expect(sent).toEqual([]);
  });

  it('an ETag can be given as text', async () => {
    const { client, sent } = scripted(responds(200));
    await client.coupons.update('1', { valid: false }, { ifMatch: '"3"' });
    expect(new Headers(sent[0]?.init.headers).get('if-match')).toBe('"3"');
  });
});

describe('the environment', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('gives key and address where the settings do not', async () => {
    vi.stubEnv('AFFILIATE_PROGRAM_KEY', 'from-environment');
    vi.stubEnv('AFFILIATE_PROGRAM_URL', 'https://environment.example.com');
    const fetch = vi.fn<typeof globalThis.fetch>(responds(200));
    await createClient({ fetch }).coupons.get('1');
    const [url, init] = fetch.mock.calls[0] ?? [];
    expect(url).toBe('https://environment.example.com/coupons/1');
    expect(new Headers(init?.headers).get('authorization')).toBe('Bearer from-environment');
  });

  it('may be empty, as in a browser', () => {
    vi.stubGlobal('process', {});
    try {
      expect(() => createClient({ baseUrl: 'https://api.example.com' })).toThrow('AFFILIATE_PROGRAM_KEY');
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe('errors', () => {
  const failure = async (status: number, text: string, statusText = '') => {
    const fetch = () => Promise.resolve(new Response(text, { status, statusText }));
    const client = createClient({ apiKey: 'key', baseUrl: 'https://api.example.com', fetch, maxRetries: 0 });
    return client.coupons.get('1').then(
      () => undefined,
      (error: unknown) => error,
    );
  };

  it('a status without a code of its own is a bad request below 500, and internal from there', async () => {
    expect(await failure(418, '{}')).toMatchObject({ code: 'bad_request' });
    expect(await failure(507, '{}')).toMatchObject({ code: 'internal' });
  });

  it('details that are empty leave the code of the status, and no field', async () => {
    const error = await failure(404, '{"error":404,"message":"Coupon not found","details":[]}');
    expect(error).toMatchObject({ code: 'not_found', field: undefined, details: [] });
  });

  it('a status without text is named without a space at its end', async () => {
    expect(await failure(404, '<html>')).toMatchObject({ message: 'The API returned 404' });
  });

  it('an error has a cause only where something caused it', () => {
    const plain = new AffiliateProgramError('failed', { code: 'internal' });
    expect(Object.hasOwn(plain, 'cause')).toBe(false);
    expect(plain.details).toEqual([]);
    expect(new AffiliateProgramError('failed', { code: 'internal', cause: 'why' }).cause).toBe('why');
  });
});
