import { randomInt, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bounds } from '../../../shared/contract/bounds.ts';
import { checkAccess, checkMalformedToken } from '../../../shared/domain/access/check-access.ts';
import { countRequest } from '../../../shared/domain/access/count-request.ts';
import {
  type AccessToken,
  hashOfToken,
  sharedLimitKey,
  tokenKey,
  unknownTokensKey,
} from '../../../shared/domain/access/token.ts';
import { createTokenWrite } from '../../../shared/domain/programs/repository.ts';
import { deleteItem, getItem, updateItem } from '../../../shared/platform/table/items.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { interrupted } from '../../support/interrupted.ts';

// The middle of a minute and of a slice of 5 seconds, so that no count expires within a test.
const now = new Date('2026-03-01T12:00:32.000Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const limitPerMinute = 5;
const endpoint = 'GET /sales';

/** A token as creating a key leaves it. */
const storeToken = async (overrides: Partial<AccessToken> = {}) => {
  const tokenHash = hashOfToken(randomUUID());
  const token: AccessToken = {
    programId: randomUUID(),
    keyId: randomUUID(),
    kind: 'API',
    plan: 'BUSINESS',
    programDeleted: false,
    currency: 'USD',
    commissionRate: 10,
    timeZone: 'UTC',
    reviewsSales: false,
    sharesLimit: false,
    ...overrides,
  };
  await writeTogether([createTokenWrite(tokenHash, token)]);
  return { tokenHash, token };
};

let lastBlock = 0;
/** An address that no other test has. */
const freshAddress = () => {
  lastBlock += 1;
  return `2001:db8:${randomUUID().slice(0, 4)}:${lastBlock.toString(16)}::1`;
};

const ask = (tokenHash: string, overrides: Partial<Parameters<typeof checkAccess>[0]> = {}) =>
  checkAccess({ tokenHash, sourceIp: freshAddress(), endpoint, limitPerMinute, now, ...overrides });

/** Asks one after the other; how each ended. */
const askTimes = async (count: number, ...asked: Parameters<typeof ask>) => {
  const kinds: string[] = [];
  for (let at = 0; at < count; at++) kinds.push((await ask(...asked)).kind);
  return kinds;
};
const times = (count: number, kind: string) => Array.from({ length: count }, () => kind);

describe('a token', () => {
  it('is known with what the table says of it now', async () => {
    const { tokenHash, token } = await storeToken();
    expect(await ask(tokenHash)).toMatchObject({ kind: 'known', token, usage: { remaining: 4, limitPerMinute } });
    await updateItem('traffic', tokenKey(tokenHash), {
      UpdateExpression: 'SET #plan = :plan, programDeleted = :yes',
      ExpressionAttributeNames: { '#plan': 'plan' },
      ExpressionAttributeValues: { ':plan': 'FREE', ':yes': true },
    });
    expect(await ask(tokenHash)).toMatchObject({ kind: 'known', token: { plan: 'FREE', programDeleted: true } });
  });

  it('that was deleted is unknown at once, also where it was known a moment before', async () => {
    const { tokenHash } = await storeToken();
    expect((await ask(tokenHash)).kind).toBe('known');
    await deleteItem('traffic', tokenKey(tokenHash));
    expect((await ask(tokenHash)).kind).toBe('unknown');
    expect(await getItem('traffic', tokenKey(tokenHash))).toBeUndefined();
  });
});

describe('the limit of a token', () => {
  it('allows as many requests as it says in any minute, and each endpoint has its own', async () => {
    const { tokenHash } = await storeToken();
    expect(await askTimes(6, tokenHash)).toEqual([...times(5, 'known'), 'limited']);
    expect((await ask(tokenHash, { endpoint: 'POST /sales' })).kind).toBe('known');
    expect((await ask((await storeToken()).tokenHash)).kind).toBe('known');
  });

  it.each([
    { seconds: 59, kind: 'limited' },
    // Counted in slices of 5 seconds: that of 12:00:30 ends at 12:00:35.
    { seconds: 62.999, kind: 'limited' },
    { seconds: 63, kind: 'known' },
  ])('is free again after 60 seconds and a slice: after $seconds s', async ({ seconds, kind }) => {
    const { tokenHash } = await storeToken();
    await askTimes(5, tokenHash);
    expect((await ask(tokenHash, { now: later(seconds) })).kind).toBe(kind);
  });

  it('says how long to wait', async () => {
    const { tokenHash } = await storeToken();
    await askTimes(5, tokenHash);
    expect((await ask(tokenHash)).usage).toEqual({
      limitPerMinute,
      remaining: 0,
      resetSeconds: 63,
      retryAfterSeconds: 63,
    });
  });

  it('race: of ten requests at once five are allowed', async () => {
    const { tokenHash } = await storeToken();
    const kinds = await Promise.all(Array.from({ length: 10 }, async () => (await ask(tokenHash)).kind));
    expect(kinds.filter((kind) => kind === 'known')).toHaveLength(5);
  });
});

describe('the limit that the keys of a program share', () => {
  const shared = bounds.keysWithWholeRateLimit * limitPerMinute;

  it(`allows ${bounds.keysWithWholeRateLimit} times the limit of one key, whichever key asks`, async () => {
    const programId = randomUUID();
    const tokens = [];
    for (let count = 0; count < 4; count++) tokens.push(await storeToken({ programId, sharesLimit: true }));
    const kinds: string[] = [];
    for (const { tokenHash } of tokens) kinds.push(...(await askTimes(5, tokenHash)));
    expect(kinds).toEqual([...times(shared, 'known'), ...times(5, 'limited')]);
    expect((await ask((await storeToken({ sharesLimit: true })).tokenHash)).kind).toBe('known');
  });

  it('does not count for a program with few keys', async () => {
    const programId = randomUUID();
    const kinds: string[] = [];
    for (let count = 0; count < 4; count++)
      kinds.push(...(await askTimes(5, (await storeToken({ programId })).tokenHash)));
    expect(kinds).toEqual(times(20, 'known'));
  });

  it('is told to each key, whichever is the tighter', async () => {
    const programId = randomUUID();
    const [one, other] = [
      await storeToken({ programId, sharesLimit: true }),
      await storeToken({ programId, sharesLimit: true }),
    ];
    expect((await ask(one.tokenHash)).usage.remaining).toBe(4);
    await askTimes(4, one.tokenHash);
    expect((await ask(other.tokenHash)).usage.remaining).toBe(4);
  });
});

describe('unknown tokens', () => {
  const unknown = () => hashOfToken(randomUUID());

  it('are counted by address: beyond the limit each is limited, and no other address is', async () => {
    const sourceIp = freshAddress();
    const kinds: string[] = [];
    for (let at = 0; at < 7; at++) kinds.push((await ask(unknown(), { sourceIp })).kind);
    expect(kinds).toEqual([...times(5, 'unknown'), 'limited', 'limited']);
    expect((await ask(unknown())).kind).toBe('unknown');
  });

  it('of an address over its limit do not affect a good token from there', async () => {
    const sourceIp = freshAddress();
    const [seen, fresh] = [await storeToken(), await storeToken()];
    await ask(seen.tokenHash, { sourceIp });
    for (let at = 0; at < 6; at++) await ask(unknown(), { sourceIp });
    expect((await ask(seen.tokenHash, { sourceIp })).kind).toBe('known');
    expect((await ask(fresh.tokenHash, { sourceIp })).kind).toBe('known');
  });

  it.each([
    { one: '203.0.113.7', other: '203.0.113.8', isOne: false },
    { one: '203.0.113.9', other: '::ffff:203.0.113.9', isOne: true },
    { one: '2001:db8:aaaa:1::1', other: '2001:db8:aaaa:1:ffff::2', isOne: true },
    { one: '2001:db8:aaaa:2::1', other: '2001:db8:aaaa:3::1', isOne: false },
    { one: 'nonsense', other: 'other nonsense', isOne: true },
  ])('from $one and $other count together: $isOne', async ({ one, other, isOne }) => {
    // An hour of its own, since the addresses are the same whenever this runs.
    const moment = { now: later(3600 * randomInt(1, 1_000_000)) };
    for (let at = 0; at < 5; at++) await ask(unknown(), { sourceIp: one, ...moment });
    expect((await ask(unknown(), { sourceIp: other, ...moment })).kind).toBe(isOne ? 'limited' : 'unknown');
  });

  it('leave a count that expires', async () => {
    const sourceIp = '198.51.100.23';
    await ask(unknown(), { sourceIp });
    const { ttl } = (await getItem('traffic', unknownTokensKey(sourceIp))) ?? {};
    // The minute after the next has begun by then.
    expect(ttl).toBe(Date.parse('2026-03-01T12:02:00.000Z') / 1000);
  });

  it('without the shape of one are limited with the others, and never counted', async () => {
    const sourceIp = freshAddress();
    const malformed = () => checkMalformedToken({ sourceIp, limitPerMinute, now }).kind;
    for (let at = 0; at < 10; at++) expect(malformed()).toBe('unknown');
    for (let at = 0; at < 5; at++) await ask(unknown(), { sourceIp });
    expect(malformed()).toBe('limited');
  });
});

describe('race: a request that is counted while', () => {
  const count = (key: Key, mustExist: boolean, at = now) =>
    countRequest(key, { endpoint, limitPerMinute, now: at }, { mustExist });
  type Key = { pk: string; sk: string };

  const counters: { of: string; mustExist: boolean; create: () => Promise<Key> }[] = [
    { of: 'a token', mustExist: true, create: async () => tokenKey((await storeToken()).tokenHash) },
    { of: 'unknown tokens', mustExist: false, create: async () => unknownTokensKey(freshAddress()) },
    { of: 'a program', mustExist: false, create: async () => sharedLimitKey(randomUUID()) },
  ];

  describe.each(counters)('another function counts one of $of', ({ mustExist, create }) => {
    it.each([
      { is: 'the first of all', before: [] },
      { is: 'the first of a minute', before: [later(-60)] },
      { is: 'another one of a minute', before: [now] },
      { is: 'the first after two minutes of silence', before: [later(-180)] },
    ])('too, $is: both count', async ({ before }) => {
      const key = await create();
      for (const at of before) await count(key, mustExist, at);
      const counted = await interrupted(
        () => count(key, mustExist),
        () => count(key, mustExist),
      );
      expect(counted.isAllowed).toBe(true);
      expect((await count(key, mustExist)).usage.remaining).toBeLessThanOrEqual(limitPerMinute - 3);
    });

    it('up to the limit is refused', async () => {
      const key = await create();
      await count(key, mustExist);
      const counted = await interrupted(
        () => count(key, mustExist),
        async () => {
          for (let at = 1; at < limitPerMinute; at++) await count(key, mustExist);
        },
      );
      expect(counted).toMatchObject({ isAllowed: false, usage: { remaining: 0 } });
    });
  });

  it('a function whose clock is ahead clears a minute away counts all the same', async () => {
    const key = tokenKey((await storeToken()).tokenHash);
    const beginning = new Date('2026-03-01T12:00:02.000Z');
    const nextMinute = new Date('2026-03-01T12:01:01.000Z');
    await count(key, true, beginning);
    await count(key, true, nextMinute);
    // The slice of 12:00:02 has expired, and is removed with this request or by the one that overtakes it.
    const counted = await interrupted(
      () => count(key, true, new Date('2026-03-01T12:01:10.000Z')),
      () => count(key, true, new Date('2026-03-01T12:02:01.000Z')),
    );
    expect(counted.isAllowed).toBe(true);
  });

  it.each(counters.filter(({ mustExist }) => !mustExist))(
    'the counter of $of expires begins it anew',
    async ({ create }) => {
      const key = await create();
      for (const at of [now, later(180)]) {
        await count(key, false);
        const counted = await interrupted(
          () => count(key, false, at),
          () => deleteItem('traffic', key),
        );
        expect(counted).toMatchObject({ isAllowed: true, usage: { remaining: 4 } });
      }
    },
  );

  it('the token is deleted is not counted, and the token does not come back', async () => {
    const { tokenHash } = await storeToken();
    const key = tokenKey(tokenHash);
    for (const at of [now, later(0.001)]) {
      const counted = await interrupted(
        () => count(key, true, at),
        () => deleteItem('traffic', key),
      );
      expect(counted).toMatchObject({ item: undefined, isAllowed: false });
      expect(await getItem('traffic', key)).toBeUndefined();
    }
  });
});
