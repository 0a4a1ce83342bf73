import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import * as counting from '../../../shared/domain/access/count-request.ts';
import { hashOfToken, tokenKey } from '../../../shared/domain/access/token.ts';
import { createProgram } from '../../../shared/domain/programs/programs.ts';
import { deleteItem, getItem, updateItem } from '../../../shared/platform/table/items.ts';
import { countUnits } from '../../support/capacity.ts';
import { inTurn } from '../../support/in-turn.ts';
import { interrupted } from '../../support/interrupted.ts';
import { itemSize } from '../../support/item-size.ts';
import { endpoint, hit, hits, limitPerMinute, minute, passed, start } from './hits.ts';

const newTokenHash = async () => {
  const ownerEmail = `owner-${randomUUID()}@example.com`;
  return hashOfToken((await createProgram({ name: 'Acme', ownerEmail }, new Date())).apiKey);
};
const unknownHash = () => hashOfToken(randomUUID());

/** The same code with a memory of its own, as in another function instance. */
const anotherInstance = async (): Promise<typeof counting> => {
  const file = '../../../shared/domain/access/count-request.ts';
  return import(`${file}?instance=${randomUUID()}`);
};

describe('the rate limit', () => {
  it('lets no more than the limit pass across the edge of a minute, and none until the burst is a minute old', async () => {
    const token = await newTokenHash();
    expect(passed(await hits(12, token, start + minute - 1))).toBe(10);
    for (const laterMilliseconds of [2, 30_000, 59_990])
      expect(passed(await hits(2, token, start + minute - 1 + laterMilliseconds))).toBe(0);
    expect(passed(await hits(12, token, start + 2 * minute + 5_000))).toBe(10);
  });

  it('holds when several function instances serve one key, each of which learns late of the others', async () => {
    const key = tokenKey(await newTokenHash());
    const instances = [counting, await anotherInstance(), await anotherInstance()];
    expect(new Set(instances.map(({ countRequest }) => countRequest)).size).toBe(3);
    let all = 0;
    for (let round = 0; round < 4; round++) {
      const request = { endpoint, limitPerMinute, now: new Date(start + round * 4_000) };
      const ask = ({ countRequest }: typeof counting) => countRequest(key, request, { mustExist: true });
      const counted = await Promise.all([...instances, ...instances].map(ask));
      all += counted.filter(({ isAllowed }) => isAllowed).length;
    }
    expect(all).toBe(10);
  });

  it('holds in an instance that has not seen what others counted in the minute before', async () => {
    const key = tokenKey(await newTokenHash());
    const [busy, stale] = [await anotherInstance(), await anotherInstance()];
    const ask = ({ countRequest }: typeof counting, at: number) =>
      countRequest(key, { endpoint, limitPerMinute, now: new Date(at) }, { mustExist: true });
    expect((await ask(stale, start + 50_000)).isAllowed).toBe(true);
    for (let more = 1; more < limitPerMinute; more++) expect((await ask(busy, start + 59_000)).isAllowed).toBe(true);
    // It counts, for nothing that it has seen speaks against that, and learns by it that this was too many.
    expect((await ask(stale, start + minute + 1_000)).isAllowed).toBe(false);
  });

  it('costs one call and one write unit per request, with sixty endpoints in use and minutes that begin and end', async () => {
    const token = await newTokenHash();
    await hit(token, start);
    const units = countUnits();
    let requests = 0;
    for (let at = start + 1000; at < start + 2.2 * minute; at += 43_000)
      for (let number = 0; number < 60; number++) {
        const verdict = await hit(token, at + number, { endpoint: `GET /endpoint-${number}`, limitPerMinute: 600 });
        expect(verdict.kind).toBe('known');
        requests += 1;
      }
    expect(units).toEqual({ writes: requests, reads: 0, calls: requests });
    vi.restoreAllMocks();
    expect(itemSize((await getItem('traffic', tokenKey(token))) ?? {})).toBeLessThan(1024);
    await hit(token, start + 60 * minute);
    await hit(token, start + 60 * minute);
    // This minute with its one counter, and the next.
    expect(Object.values((await getItem('traffic', tokenKey(token)))?.counts ?? {})).toHaveLength(2);
  });

  it('counts on a token that an earlier version has made without counters, and brings back none that is deleted meanwhile', async () => {
    const [token, deleted] = [await newTokenHash(), await newTokenHash()];
    for (const one of [token, deleted])
      await updateItem('traffic', tokenKey(one), {
        UpdateExpression: 'REMOVE #counts',
        ExpressionAttributeNames: { '#counts': 'counts' },
      });
    const verdict = await interrupted(
      () => hit(deleted, start, { sourceIp: '10.0.0.2' }),
      () => deleteItem('traffic', tokenKey(deleted)),
      2,
    );
    expect(verdict.kind).toBe('unknown');
    expect(await getItem('traffic', tokenKey(deleted))).toBeUndefined();
    expect(passed(await hits(12, token, start))).toBe(10);
  });
});

describe('unknown tokens', () => {
  // What is beyond the limit costs nothing but reads. MADE_UP_TOKENS=10000 tries the limit of a deployed function.
  const requestCount = Number(process.env.MADE_UP_TOKENS ?? 150);
  const { limit, maxWrites } = process.env.MADE_UP_TOKENS
    ? { limit: 600, maxWrites: 700 }
    : { limit: 60, maxWrites: 90 };

  it(`cost at most ${maxWrites} write units for ${requestCount} requests from one address in a minute, with ${limit} allowed`, async () => {
    const more = { sourceIp: '10.0.0.1', limitPerMinute: limit };
    const units = countUnits();
    const verdicts = await inTurn(
      Array.from({ length: requestCount }, (_, at) => at),
      (at) => hit(unknownHash(), start + at, { ...more, endpoint: `GET /endpoint-${at % 50}` }),
      8,
    );
    expect(verdicts.filter(({ kind }) => kind === 'unknown')).toHaveLength(limit);
    expect(units.writes).toBeLessThanOrEqual(maxWrites);
    // Below the limit a consistent read, beyond it half of one.
    expect(units.reads).toBeLessThanOrEqual(limit + (requestCount - limit) / 2 + (maxWrites - limit) / 2);
  });
});
