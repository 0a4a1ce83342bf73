import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { coupons } from '../../shared/domain/coupons/repository.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { type Api, makeAffiliate, makeProgram, request } from '../support/program.ts';
import { storeAll, unnoticed } from '../support/sales.ts';
import { makeStoredCoupon } from '../support/stored-records.ts';
import { listOperations } from './every-operation.ts';
import { type Listed, listed, useReceiver } from './listed-records.ts';

let empty: Api;
let other: Api;
useReceiver();
beforeAll(async () => {
  [empty, other] = await Promise.all([makeProgram(), makeProgram()]);
});

const nextOf = (headers: Headers): string | undefined => /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
const cursorIn = (address: string | undefined): string => new URL(address ?? '').searchParams.get('cursor') ?? '';

const walk = async (api: Api, path: string, betweenPages: () => Promise<unknown> = async () => {}) => {
  const pages: Listed[][] = [];
  for (let address: string | undefined = path; address; ) {
    const { status, headers, body } = await api.get(address);
    expect(status).toBe(200);
    pages.push(body);
    address = nextOf(headers);
    await betweenPages();
  }
  return pages;
};

const idsOf = (records: readonly { id: string }[]) => records.map(({ id }) => id);

const notAMoment = 'must be a date-time such as 2026-01-31T12:00:00Z';

describe.each(listOperations)('the list $path', ({ id: operationId, path }) => {
  const kind = listed[operationId];
  const present = kind?.present ?? 0;
  const count = 3;
  const middle = 1;
  const make = (api: Api): Promise<Listed> => {
    if (!kind) throw new Error(`Say in test/api/lists.test.ts how to make a record of ${path}`);
    return kind.make(api);
  };
  let api: Api;
  let made: Listed[];
  let everything: Listed[];
  let madeInOther: Listed[];
  const pathWith = (query: string) => `${path}?${[kind?.filter, query].filter(Boolean).join('&')}`;

  beforeAll(async () => {
    api = await makeProgram();
    made = [];
    while (made.length < count) made.push(await make(api));
    everything = (await api.get(path)).body;
    madeInOther = [await make(other), await make(other)];
  });

  it('is an array without a Link in a new program, empty but for what every program has', async () => {
    const { status, body, headers } = await empty.get(path);
    expect({ status, link: headers.get('link') }).toEqual({ status: 200, link: null });
    expect(body).toHaveLength(present);
  });

  it('has every record, newest first, in one page by default', async () => {
    const { body, headers } = await api.get(path);
    expect(headers.has('link')).toBe(false);
    expect(idsOf(body.slice(0, body.length - present)).sort()).toEqual(idsOf(made).sort());
    const times = body.map(({ createdAt }: Listed) => createdAt);
    expect(times).toEqual([...times].sort().reverse());
  });

  it.each([1, count - 1, count])(
    'leads through all pages of %i by its Link, without a gap or a repetition',
    async (limit) => {
      for (const address of [`${path}?limit=${limit}`, pathWith(`limit=${limit}`)]) {
        const pages = await walk(api, address);
        expect(idsOf(pages.flat())).toEqual(idsOf(everything));
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
        expect(pages.at(-1)).not.toEqual([]);
      }
    },
  );

  it('names the next page by an absolute address that keeps limit and filters', async () => {
    const next = nextOf((await api.get(pathWith('limit=2'))).headers);
    expect(next?.startsWith(`${inject('baseUrl')}${path}?`)).toBe(true);
    const asked = new URLSearchParams(pathWith('limit=2').split('?')[1]);
    for (const [name, value] of asked) expect(new URL(next ?? '').searchParams.get(name)).toBe(value);
  });

  it('refuses a cursor that was altered, or is of another program, filter or list', async () => {
    const cursor = cursorIn(nextOf((await api.get(`${path}?limit=2`)).headers));
    const others = cursorIn(nextOf((await other.get(`${path}?limit=1`)).headers));
    const elsewhere = listOperations.find((operation) => operation.path !== path)?.path;
    const altered = `${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`;
    for (const address of [
      `${path}?cursor=${altered}`,
      `${path}?cursor=${cursor.slice(1)}`,
      `${path}?cursor=${cursor}.`,
      `${path}?cursor=x`,
      `${path}?cursor=${others}`,
      `${path}?createdAfter=2020-01-01T00:00:00Z&cursor=${cursor}`,
      ...(kind?.filter ? [pathWith(`cursor=${cursor}`)] : []),
      `${elsewhere}?cursor=${cursor}`,
    ]) {
      const { status, body } = await api.get(address);
      expect(status, address).toBe(400);
      expect(body).toEqual({
        error: 'cursor is not valid for this list and these filters. Start again without it.',
        details: [{ path: 'cursor', message: expect.any(String) }],
      });
    }
  });

  it('goes on from a cursor with another limit', async () => {
    const cursor = cursorIn(nextOf((await api.get(`${path}?limit=2`)).headers));
    expect((await api.get(`${path}?limit=100&cursor=${cursor}`)).body).toEqual(everything.slice(2));
  });

  it('has what was created after a moment, that moment included, and before one, that one not', async () => {
    const { createdAt } = everything[middle] ?? { createdAt: '' };
    const after = await api.get(`${path}?createdAfter=${createdAt}`);
    expect(after.body).toEqual(everything.filter((one) => one.createdAt >= createdAt));
    const before = await api.get(`${path}?createdBefore=${createdAt}`);
    expect(before.body).toEqual(everything.filter((one) => one.createdAt < createdAt));
    expect((await api.get(`${path}?createdAfter=${createdAt}&createdBefore=${createdAt}`)).body).toEqual([]);
    const paged = await walk(api, `${path}?limit=1&createdAfter=${createdAt}`);
    expect(idsOf(paged.flat())).toEqual(idsOf(after.body));
    expect((await api.get(pathWith(`createdAfter=${createdAt}`))).body).toEqual(after.body);
  });

  it('takes a moment with any offset', async () => {
    const { createdAt } = everything[middle] ?? { createdAt: '' };
    const inTokyo = new Date(Date.parse(createdAt) + 9 * 3_600_000).toISOString().replace('Z', '+09:00');
    const { body } = await api.get(`${path}?createdAfter=${encodeURIComponent(inTokyo)}`);
    expect(body).toEqual(everything.filter((one) => one.createdAt >= createdAt));
  });

  it('has what was updated after a moment', async () => {
    const { updatedAt } = everything[middle] ?? { updatedAt: '' };
    const { body } = await api.get(`${path}?updatedAfter=${updatedAt}`);
    expect(body).toEqual(everything.filter((one) => one.updatedAt > updatedAt));
    expect((await api.get(`${path}?updatedAfter=2999-01-01T00:00:00Z`)).body).toEqual([]);
  });

  it('refuses limits that are none, and moments that are none, and names each', async () => {
    const limits = ['0', '101', '-1', '1.5', 'ten', ''];
    const moments = ['yesterday', '2026-02-30', '1767225600', '2026-01-01T00:00:00', '', 'x'];
    for (const [at, limit] of limits.entries()) {
      const names = ['createdAfter', 'createdBefore', 'updatedAfter'];
      const query = new URLSearchParams([['limit', limit], ...names.map((name) => [name, moments[at] ?? ''])]);
      const { status, body } = await api.get(`${path}?${query}`);
      expect(status).toBe(400);
      const expected = names.map((name) => ({ path: name, message: `${name} ${notAMoment}` }));
      expect(body.details, `${query}`).toHaveLength(1 + names.length);
      expect(body.details).toEqual(expect.arrayContaining([expect.objectContaining({ path: 'limit' }), ...expected]));
      expect(body.error).toBe(body.details[0].message);
    }
  });

  it('returns one record by its id, as it is in the list, with an ETag that holds', async () => {
    const [newest] = (await api.get(path)).body;
    const one = await api.get(`${path}?id=${newest.id}`);
    expect(one.body).toMatchObject(newest);
    expect(one.headers.get('etag')).toMatch(/^"[^"]+"$/);
    expect((await api.get(`${path}?id=${newest.id}`)).headers.get('etag')).toBe(one.headers.get('etag'));
    expect((await api.get(`${path}?id=${String(newest.id).toUpperCase()}`)).body).toMatchObject(newest);
    const inPath = await api.get(`${path}/${newest.id}`);
    expect([inPath.text, inPath.headers.get('etag')]).toEqual([one.text, one.headers.get('etag')]);
    expect((await api.get(`${path}/${String(newest.id).toUpperCase()}`)).text).toBe(one.text);
    const { headers } = await api.get(path);
    expect(headers.has('etag')).toBe(false);
  });

  it('returns 404 for an id that is not there', async () => {
    const { status, body } = await api.get(`${path}?id=${path === '/sales' ? 1 : randomUUID()}`);
    expect({ status, body }).toEqual({ status: 404, body: { error: expect.stringMatching(/ not found$/) } });
    for (const name of [path === '/sales' ? '1' : randomUUID(), 'x', 'id:x', 'constructor:x', ':', '%00', '%ED%A0%80'])
      expect((await api.get(`${path}/${name}`)).body, name).toEqual(body);
  });

  it('refuses a selector together with a filter', async () => {
    const id = made[0]?.id;
    const address = `${path}?id=${id}&createdAfter=2020-01-01T00:00:00Z`;
    const { status, body } = await api.get(address);
    expect(status).toBe(400);
    expect(body.error).toContain('createdAfter');
  });

  it('does not skip or repeat what was there all the time when records are added between pages', async () => {
    let added = 0;
    const pages = await walk(other, `${path}?limit=1`, async () => {
      if (added++ < 1) await make(other);
    });
    const present = idsOf(madeInOther);
    expect(
      idsOf(pages.flat())
        .filter((id) => present.includes(id))
        .sort(),
    ).toEqual(present.sort());
  });
});

it('HEAD gets the status and headers of GET, without the body, and counts as GET', async () => {
  const api = await makeProgram();
  const { id } = await makeAffiliate(api);
  const authorization = { authorization: `Bearer ${api.apiKey}` };
  for (const path of [`/affiliates?id=${id}`, '/affiliates?limit=1', '/affiliates?id=nobody-here', '/openapi.json']) {
    const read = await request('GET', path, { headers: authorization });
    const head = await request('HEAD', path, { headers: authorization });
    expect([head.status, head.text], path).toEqual([read.status, '']);
    for (const name of ['content-type', 'etag', 'link'])
      expect(head.headers.get(name), `${name} of ${path}`).toBe(read.headers.get(name));
  }
  const left = async (method: string) =>
    Number((await request(method, '/affiliates', { headers: authorization })).headers.get('ratelimit-remaining'));
  const before = await left('GET');
  expect(await left('HEAD')).toBe(before - 1);
  expect((await request('HEAD', '/affiliates')).status).toBe(401);
});

it('holds fifty records in a page by default', async () => {
  const api = await makeProgram();
  const stored = Array.from({ length: 51 }, () => makeStoredCoupon({ id: newRecordId(new Date()) }));
  await storeAll(unnoticed(stored.flatMap((coupon) => coupons.createWrites(api.programId, coupon))));
  const { body, headers } = await api.get('/coupons');
  expect(body).toHaveLength(50);
  expect((await api.get(nextOf(headers) ?? '')).body).toHaveLength(1);
});
