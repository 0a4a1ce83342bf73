import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../shared/contract/errors.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { deleteItem } from '../../shared/platform/table/items.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { appendToFeed } from '../../shared/webhooks/feed/append.ts';
import { expireFeed, newestNumber, readSegment } from '../../shared/webhooks/feed/log.ts';
import { readFeed } from '../../shared/webhooks/feed/read.ts';
import { costOf } from '../support/capacity.ts';
import { isEmbedded } from '../support/embedded-database.ts';

const day = 24 * 60 * 60 * 1000;
const start = new Date('2026-03-01T12:00:00.000Z');
const later = (milliseconds: number) => new Date(start.getTime() + milliseconds);

let programId: string;
beforeEach(() => {
  programId = randomUUID();
});

const entry = (id: string, feedAfter: number, type = 'sale.created') => ({ id, type, feedAfter });

/** Events that a run stores and appends, as a batch of the stream does. */
const append = async (ids: readonly string[], at = start, type?: string) => {
  const end = await newestNumber(programId);
  await appendToFeed(
    programId,
    ids.map((id) => entry(id, end, type)),
    () => at,
  );
};

const read = (after: string, { limit = 100, type, at = start }: { limit?: number; type?: string; at?: Date } = {}) =>
  readFeed(programId, { after, limit, type }, at);

const idsOf = ({ entries }: Awaited<ReturnType<typeof read>>) => entries.map(({ id }) => id);

/** A poller as the guide describes it. */
const poller = (limit: number) => {
  let after = 'start';
  const seen: string[] = [];
  const poll = async (): Promise<void> => {
    for (;;) {
      const page = await read(after, { limit });
      seen.push(...idsOf(page));
      after = page.end;
      if (!page.hasMore) return;
    }
  };
  return { seen, poll };
};

describe('the feed', () => {
  it('keeps the order in which events were stored, in pages of any size, and an empty page has a position too', async () => {
    expect(await read('start')).toMatchObject({ entries: [], hasMore: false });
    const { end } = await read('start');
    for (const batch of [['a'], ['b', 'c', 'd'], ['e']]) await append(batch);
    for (const limit of [1, 2, 3, 5]) {
      const { seen, poll } = poller(limit);
      await poll();
      expect(seen).toEqual(['a', 'b', 'c', 'd', 'e']);
    }
    expect(idsOf(await read(end))).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(idsOf(await read('now'))).toEqual([]);
  });

  it('continues after any entry of a page, not only after the last', async () => {
    await append(['a', 'b', 'c']);
    const { entries } = await read('start');
    expect(await Promise.all(entries.map(async ({ position }) => idsOf(await read(position))))).toEqual([
      ['b', 'c'],
      ['c'],
      [],
    ]);
  });

  it('does not skip what a slow writer stored before a faster one and appends after it', async () => {
    const { seen, poll } = poller(100);
    const beforeSlow = await newestNumber(programId);
    await append(['fast']);
    await poll();
    await appendToFeed(programId, [entry('slow', beforeSlow)], () => start);
    await poll();
    expect(seen).toEqual(['fast', 'slow']);
  });

  it('gives out nothing beyond a gap, because what belongs there may be seen a moment later', async () => {
    await append(['a']);
    const { end } = await read('start');
    await append(['b']);
    await append(['c']);
    const key = { pk: partition(programId, 'FEED'), sk: '000000000002' };
    const hidden = await readSegment(programId, 2);
    await deleteItem('traffic', key);
    expect(await read(end)).toMatchObject({ entries: [], hasMore: false });
    await appendToFeed(programId, [entry('late', 1)], () => start);
    expect(hidden?.entries).toEqual([{ id: 'b', type: 'sale.created' }]);
    expect(idsOf(await read(end))).toEqual(['late', 'c']);
  });

  it('takes an event once where the run that appended it died before it said so', async () => {
    await append(['a']);
    await appendToFeed(programId, [entry('b', 1)], () => start);
    await append(['c']);
    await appendToFeed(programId, [entry('b', 1), entry('d', 2)], () => start);
    expect(idsOf(await read('start'))).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('the retention of the feed', () => {
  it('begins with the oldest segment of the last 30 days, wherever that lies', async () => {
    for (const days of [0, 1, 2, 3, 4]) await append([`day ${days}`], later(days * day));
    const days = (at: Date) => read('start', { at }).then(idsOf);
    expect(await days(later(30 * day))).toEqual(['day 0', 'day 1', 'day 2', 'day 3', 'day 4']);
    expect(await days(later(32.5 * day))).toEqual(['day 3', 'day 4']);
    expect(await days(later(40 * day))).toEqual([]);
    // Those that expired may be gone, in any order.
    await deleteItem('traffic', { pk: partition(programId, 'FEED'), sk: '000000000002' });
    expect(await days(later(32.5 * day))).toEqual(['day 3', 'day 4']);
  });

  it('refuses a position that is older than 30 days with 410, and names `after`', async () => {
    await append(['a']);
    const { end } = await read('start');
    expect(idsOf(await read(end, { at: later(30 * day) }))).toEqual([]);
    const refused = await read(end, { at: later(30 * day + 1) }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ApiError);
    expect(refused).toMatchObject({ status: 410, details: [{ path: 'after', code: 'feed_expired' }] });
  });

  it('keeps the position of a client that asks from time to time, though nothing happens for months', async () => {
    await append(['a']);
    let { end } = await read('start');
    for (let days = 20; days <= 100; days += 20) end = (await read(end, { at: later(days * day) })).end;
    await append(['b'], later(101 * day));
    expect(idsOf(await read(end, { at: later(101 * day) }))).toEqual(['b']);
  });

  it('lets a segment expire once another follows it, and the last one where the program is deleted', async () => {
    const expiries = () => Promise.all([1, 2, 3].map(async (number) => (await readSegment(programId, number))?.ttl));
    for (const id of ['a', 'b', 'c']) await append([id]);
    const ttl = start.getTime() / 1000 + 31 * 24 * 60 * 60;
    expect(await expiries()).toEqual([ttl, ttl, undefined]);
    await expireFeed(programId, start);
    expect(await expiries()).toEqual([ttl, ttl, ttl]);
  });

  it('makes up for a run that died between the two', async () => {
    await append(['a']);
    const send = documents.send.bind(documents);
    vi.spyOn(documents, 'send').mockImplementation(((command: Parameters<typeof send>[0]) =>
      command instanceof UpdateCommand ? Promise.reject(new Error('killed')) : send(command)) as typeof send);
    await expect(append(['b'])).rejects.toThrow('killed');
    vi.restoreAllMocks();
    await appendToFeed(programId, [entry('b', 1)], () => start);
    expect((await readSegment(programId, 1))?.ttl).toBeDefined();
    expect(await readSegment(programId, 2)).toMatchObject({ entries: [{ id: 'b' }] });
    expect((await readSegment(programId, 2))?.ttl).toBeUndefined();
  });
});

describe('what the feed costs', () => {
  it.each([
    { events: 1, writeUnits: 2, readUnits: 2 },
    { events: 10, writeUnits: 2, readUnits: 2 },
    { events: 100, writeUnits: 12, readUnits: 4 },
  ])('$events events of a batch: $writeUnits write units', async ({ events, writeUnits, readUnits }) => {
    const newIds = () => Array.from({ length: events }, () => randomUUID());
    await append(newIds());
    const ids = newIds();
    expect(await costOf(() => append(ids))).toEqual({ calls: 4, readUnits, writeUnits });
  });

  it.runIf(isEmbedded)('a read that finds nothing: 1 read unit', async () => {
    await append(['a']);
    const { end } = await read('start');
    expect(await costOf(() => read(end))).toEqual({ calls: 1, readUnits: 1, writeUnits: 0 });
  });
});

describe('a long feed', () => {
  it('filters by type, and reads 1,000 events at most to find few', async () => {
    const many = Array.from({ length: 1200 }, (_, at) => `many-${at}`);
    for (const at of [0, 400, 800]) await append(many.slice(at, at + 400));
    await append(['wanted'], start, 'coupon.created');
    const first = await read('start', { type: 'coupon.created' });
    expect(first).toMatchObject({ entries: [], hasMore: true });
    expect(idsOf(await read(first.end, { type: 'coupon.created' }))).toEqual(['wanted']);
  });

  it('has every event once, in the same order for three pollers, where six writers race and repeat each other', async () => {
    const pollers = [1, 7, 100].map(poller);
    let isWriting = true;
    const polling = pollers.map(async ({ poll }) => {
      while (isWriting) await poll();
      await poll();
    });
    // Two writers each, as the stream may give a batch to a second run while the first is at work: what is stored already
    // keeps its place.
    const stored = new Map<string, number>();
    const writer = async (_: unknown, at: number): Promise<void> => {
      for (let batch = 0; batch < 3; batch++) {
        const end = await newestNumber(programId);
        const entries = [1, 2].map((event) => {
          const id = `${at % 3}-${batch}-${event}`;
          stored.set(id, stored.get(id) ?? end);
          return entry(id, stored.get(id) ?? end);
        });
        await appendToFeed(programId, entries, () => start);
      }
    };
    await Promise.all(Array.from({ length: 6 }, writer));
    isWriting = false;
    await Promise.all(polling);
    const [first] = pollers;
    expect(first?.seen).toHaveLength(18);
    expect(new Set(first?.seen).size).toBe(18);
    for (const { seen } of pollers) expect(seen).toEqual(first?.seen);
  });
});
