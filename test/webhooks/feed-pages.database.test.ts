import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { appendToFeed, appendWrites } from '../../shared/webhooks/feed/append.ts';
import { newestNumber, readSegment, segmentWrite } from '../../shared/webhooks/feed/log.ts';
import { readFeed } from '../../shared/webhooks/feed/read.ts';
import { at, now } from '../support/domain.ts';

let programId: string;
beforeEach(() => {
  programId = randomUUID();
});

/** Appends events as one segment, which were stored when the feed ended there. */
const append = (ids: readonly string[], feedAfter: number, type = 'sale.created') =>
  appendToFeed(
    programId,
    ids.map((id) => ({ id, type, feedAfter })),
    () => now,
  );
const read = async (after: string, limit: number, type?: string) => {
  const { entries, end, hasMore } = await readFeed(programId, { after, limit, type }, now);
  return { ids: entries.map(({ id }) => id), end, hasMore };
};

describe('a page of the feed', () => {
  it.each([
    { limit: 2, ids: ['a', 'b'], hasMore: true },
    { limit: 3, ids: ['a', 'b', 'c'], hasMore: true },
    { limit: 4, ids: ['a', 'b', 'c', 'd'], hasMore: true },
    { limit: 5, ids: ['a', 'b', 'c', 'd', 'e'], hasMore: false },
    { limit: 6, ids: ['a', 'b', 'c', 'd', 'e'], hasMore: false },
  ])('of $limit says whether there is more: $hasMore', async ({ limit, ids, hasMore }) => {
    await append(['a', 'b', 'c'], 0);
    await append(['d', 'e'], 1);
    const page = await read('start', limit);
    expect(page).toMatchObject({ ids, hasMore });
    expect(await read(page.end, 10)).toMatchObject({ ids: ['a', 'b', 'c', 'd', 'e'].slice(limit), hasMore: false });
  });

  it('of a type has that type alone, and goes on behind what it left out', async () => {
    await append(['a', 'b'], 0);
    await append(['c'], 1, 'coupon.created');
    await append(['d'], 2);
    const page = await read('start', 1, 'coupon.created');
    expect(page).toMatchObject({ ids: ['c'], hasMore: true });
    expect(await read(page.end, 1, 'coupon.created')).toMatchObject({ ids: [], hasMore: false });
    expect(await read(page.end, 9)).toMatchObject({ ids: ['d'], hasMore: false });
  });

  it('from now on has nothing of before, and what comes next', async () => {
    await append(['a'], 0);
    const { ids, end } = await read('now', 10);
    await append(['b'], 1);
    expect([ids, (await read(end, 10)).ids]).toEqual([[], ['b']]);
  });
});

describe('a segment of the feed', () => {
  it('expires 31 days after another follows it', async () => {
    await append(['a'], 0);
    await append(['b'], 1);
    const ttl = Math.ceil(now.getTime() / 1000) + 31 * 24 * 60 * 60;
    expect(await readSegment(programId, 1)).toMatchObject({ number: 1, storedAt: at(0), ttl });
    expect(await readSegment(programId, 2)).not.toHaveProperty('ttl');
    await writeTogether(await appendWrites(programId, { id: 'c', type: 'webhook.test' }, now));
    expect(await readSegment(programId, 2)).toMatchObject({ ttl });
    expect(await readSegment(programId, 3)).toEqual({
      number: 3,
      storedAt: at(0),
      entries: [{ id: 'c', type: 'webhook.test' }],
    });
  });

  it('is the first where there is none, and no earlier than the one before', async () => {
    await writeTogether(await appendWrites(programId, { id: 'a', type: 'webhook.test' }, now));
    expect((await read('start', 10)).ids).toEqual(['a']);
    const entries = [{ id: 'b', type: 'sale.created', feedAfter: 1 }];
    await appendToFeed(programId, entries, () => new Date(at(-5000)));
    expect(await readSegment(programId, 2)).toMatchObject({ storedAt: at(0) });
  });

  it('is not made for nothing', async () => {
    await append([], 0);
    await append(['a'], 0);
    await append(['a'], 0);
    expect(await newestNumber(programId)).toBe(1);
  });
});

describe('a feed of more segments than one query reads', () => {
  it('is read and appended to as a whole', async () => {
    const ids = Array.from({ length: 51 }, (_, index) => `event ${index + 1}`);
    const segmentOf = (id: string, index: number) => ({
      number: index + 1,
      storedAt: at(0),
      entries: [{ id, type: 'sale.created' }],
      ...(index < 50 && { ttl: now.getTime() / 1000 }),
    });
    await writeTogether(ids.map((id, index) => segmentWrite(programId, segmentOf(id, index))));
    expect(await read('start', 100)).toMatchObject({ ids, hasMore: false });
    expect(await read('start', 50)).toMatchObject({ ids: ids.slice(0, 50), hasMore: true });
    expect(await read('start', 51)).toMatchObject({ ids, hasMore: false });
    // Stored before all of them, and appended last.
    await append(['late', 'event 51'], 0);
    expect(await readSegment(programId, 52)).toMatchObject({ entries: [{ id: 'late', type: 'sale.created' }] });
    expect(await newestNumber(programId)).toBe(52);
  });
});
