import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../shared/client/client.ts';
import { coupon, responds, scripted } from './scripted-responses.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(1);
});
afterEach(() => {
  vi.useRealTimers();
});

describe('arguments', () => {
  it('a client without a key or an address is refused', () => {
    expect(() => createClient({ baseUrl: 'https://api.example.com' })).toThrow('AFFILIATE_PROGRAM_KEY');
    expect(() => createClient({ apiKey: 'key' })).toThrow('AFFILIATE_PROGRAM_URL');
  });

  it('ids and filters are encoded, and absent filters are left out', async () => {
    const { client, sent } = scripted(responds(200, []));
    await client.affiliates.get('email:a+b/c@example.com');
    await client.promotionalCodes
      .list({ active: false, affiliateEmail: 'a+b@example.com', couponId: undefined })
      .page();
    expect(sent.map(({ url }) => url.replace('https://api.example.com/api/v1', ''))).toEqual([
      '/affiliates/email%3Aa%2Bb%2Fc%40example.com',
      '/promotional-codes?active=false&affiliateEmail=a%2Bb%40example.com',
    ]);
  });

  it('the id goes into the body beside the other fields, or the whole body takes its place, and a deletion has a query', async () => {
    const { client, sent } = scripted(responds(200));
    await client.promotionalCodes.update('p1', { active: false });
    await client.webhooks.delete('w1', { idempotencyKey: 'k' });
    await client.webhooks.test('w1');
    await client.affiliates.update({ emailAddress: 'a@example.com', firstName: 'Amara' }, { idempotencyKey: 'k' });
    await client.links.delete({ link: 'amara' });
    expect(
      sent.map(({ url, init: { method, body } }) => [method, body ? JSON.parse(String(body)) : new URL(url).search]),
    ).toEqual([
      ['PUT', { active: false, promotionalCodeId: 'p1' }],
      ['DELETE', '?webhookId=w1'],
      ['POST', { webhookId: 'w1' }],
      ['PUT', { emailAddress: 'a@example.com', firstName: 'Amara' }],
      ['DELETE', '?link=amara'],
    ]);
    expect([sent[1]?.key, sent[3]?.key]).toEqual(['k', 'k']);
  });

  it('a call without its id sends nothing', async () => {
    const { client, sent } = scripted(responds(200));
    await expect(client.coupons.get('')).rejects.toThrow('coupons.get needs the id of a record');
    await expect(client.coupons.delete('')).rejects.toThrow(TypeError);
    expect(sent).toEqual([]);
  });

  it('ifMatch takes a record of this client, and refuses another object', async () => {
    const { client, sent } = scripted(responds(200, coupon, { etag: '"7"' }));
    await client.coupons.update('1', { valid: false }, { ifMatch: await client.coupons.get('1') });
    expect(new Headers(sent[1]?.init.headers).get('if-match')).toBe('"7"');
    await expect(client.coupons.update('1', {}, { ifMatch: { ...coupon } })).rejects.toThrow('ifMatch takes');
  });
});

describe('lists', () => {
  const page = (ids: number[], next?: string) =>
    responds(
      200,
      ids.map((id) => ({ id })),
      next ? { link: `<https://other.example.com/api/v1/sales?cursor=${next}>; rel="next"` } : {},
    );

  it('iteration reads every page with the same filters, on the address of the client', async () => {
    const { client, sent } = scripted(page([1, 2], 'c%2B1'), page([], 'c2'), page([3]));
    const ids: number[] = [];
    for await (const { id } of client.sales.list({ status: 'ACTIVE' })) ids.push(id);
    expect(ids).toEqual([1, 2, 3]);
    expect(sent.map(({ url }) => url)).toEqual([
      'https://api.example.com/api/v1/sales?status=ACTIVE',
      'https://api.example.com/api/v1/sales?status=ACTIVE&cursor=c%2B1',
      'https://api.example.com/api/v1/sales?status=ACTIVE&cursor=c2',
    ]);
  });

  it('a list requests nothing until it is read, and no page that is not needed', async () => {
    const { client, sent } = scripted(page([1, 2], 'c1'), page([3, 4], 'c2'));
    const list = client.sales.list();
    expect(sent).toEqual([]);
    expect(await list.toArray({ max: 0 })).toEqual([]);
    expect((await list.toArray({ max: 2 })).map(({ id }) => id)).toEqual([1, 2]);
    expect(sent).toHaveLength(1);
  });

  it('a feed goes on by its position, and every page has the position to keep', async () => {
    const events = (after: string, more = false) =>
      responds(200, [{ id: after }], {
        'next-after': after,
        ...(more && { link: `<https://other.example.com/api/v1/events?after=${after}>; rel="next"` }),
      });
    const { client, sent } = scripted(events('p1', true), events('p2'));
    const kept: (string | undefined)[] = [];
    for await (const { after } of client.events.list({ after: 'start' }).pages()) kept.push(after);
    expect(kept).toEqual(['p1', 'p2']);
    expect(sent.map(({ url }) => url.split('/').at(-1))).toEqual(['events?after=start', 'events?after=p1']);
  });

  it('one page comes with the cursor of the next', async () => {
    const { client } = scripted(page([1, 2], 'c1'));
    expect(await client.sales.list().page()).toEqual({ data: [{ id: 1 }, { id: 2 }], next: 'c1' });
  });
});
