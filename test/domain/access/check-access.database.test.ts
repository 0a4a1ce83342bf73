import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkAccess, rememberedToken } from '../../../shared/domain/access/check-access.ts';
import { countRequest, lastSeenUsage } from '../../../shared/domain/access/count-request.ts';
import { readLastUses } from '../../../shared/domain/access/last-use.ts';
import { endpointName, minutesAt } from '../../../shared/domain/access/rate-limit.ts';
import { clientBlock } from '../../../shared/domain/access/source-address.ts';
import { type AccessToken, hashOfToken, tokenKey, unknownTokensKey } from '../../../shared/domain/access/token.ts';
import { createTokenWrite } from '../../../shared/domain/programs/repository.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { deleteItem, getItem, updateItem } from '../../../shared/platform/table/items.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';

// The middle of a minute and of a slice of 5 seconds, so that no count expires within a test.
const now = new Date('2026-03-01T12:00:32.000Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const endpoint = 'GET /sales';
const limitPerMinute = 5;

const unknown = () => hashOfToken(randomUUID());
let lastBlock = 0;
const freshAddress = () => {
  lastBlock += 1;
  return `2001:db8:${randomUUID().slice(0, 4)}:${lastBlock.toString(16)}::1`;
};

const storeToken = async (overrides: Partial<AccessToken> = {}) => {
  const tokenHash = unknown();
  const ids = { programId: randomUUID(), keyId: randomUUID() };
  const terms = { kind: 'API', plan: 'BUSINESS', currency: 'USD', commissionRate: 10, timeZone: 'UTC' } as const;
  const token: AccessToken = {
    ...ids,
    ...terms,
    programDeleted: false,
    reviewsSales: false,
    sharesLimit: false,
    ...overrides,
  };
  await writeTogether([createTokenWrite(tokenHash, token)]);
  return { tokenHash, token };
};

const requestOf = (tokenHash: string, { at = now, sourceIp = freshAddress() } = {}) => ({
  tokenHash,
  sourceIp,
  endpoint,
  limitPerMinute,
  now: at,
});
const ask = (...asked: Parameters<typeof requestOf>) => checkAccess(requestOf(...asked));

/** What a request asks the table for: the names of the calls, and whether its read is consistent. */
const callsOf = async (action: () => Promise<unknown>) => {
  const send = vi.spyOn(documents, 'send');
  await action();
  const calls = send.mock.calls.map(([command]) => ({
    call: command.constructor.name,
    ...('ConsistentRead' in command.input && { isConsistent: command.input.ConsistentRead }),
  }));
  send.mockRestore();
  return calls;
};
const write = { call: 'UpdateCommand' };
const read = (isConsistent: boolean) => ({ call: 'GetCommand', isConsistent });
afterEach(() => vi.restoreAllMocks());

describe('what a request costs', () => {
  it('is one write with a key, in a new minute too; where the key is new it is read before', async () => {
    const { tokenHash } = await storeToken();
    expect(await callsOf(() => ask(tokenHash))).toEqual([read(true), read(false), write]);
    for (const seconds of [0, 1, 40, 90])
      expect(await callsOf(() => ask(tokenHash, { at: later(seconds) }))).toEqual([write]);
  });

  it('is a read and a write with an unknown token, and a read alone over the limit', async () => {
    const sourceIp = freshAddress();
    expect(await callsOf(() => ask(unknown(), { sourceIp }))).toEqual([read(true), read(false), write]);
    for (let asked = 1; asked < limitPerMinute; asked++)
      expect(await callsOf(() => ask(unknown(), { sourceIp }))).toEqual([read(true), write]);
    for (let asked = 0; asked < 2; asked++)
      expect(await callsOf(() => ask(unknown(), { sourceIp }))).toEqual([read(false)]);
  });

  it('is one write with a key that is known here, also from an address of unknown tokens', async () => {
    const sourceIp = freshAddress();
    const [seen, fresh] = [await storeToken(), await storeToken()];
    await ask(seen.tokenHash);
    await ask(unknown(), { sourceIp });
    expect(await callsOf(() => ask(seen.tokenHash, { sourceIp }))).toEqual([write]);
    // A key that is new here is looked up first, and known from then on.
    expect(await callsOf(() => ask(fresh.tokenHash, { sourceIp }))).toEqual([read(true), write, write]);
    expect(await callsOf(() => ask(fresh.tokenHash, { sourceIp }))).toEqual([write]);
    expect((await ask(fresh.tokenHash, { sourceIp })).kind).toBe('known');
  });

  it('is no write in a function that is new, from an address over its limit', async () => {
    const file = '../../../shared/domain/access/count-request.ts';
    const elsewhere: typeof import('../../../shared/domain/access/count-request.ts') = await import(
      `${file}?elsewhere`
    );
    const sourceIp = freshAddress();
    const asked = { endpoint: 'unknown token', limitPerMinute, now };
    for (let count = 0; count < limitPerMinute; count++)
      await elsewhere.countRequest(unknownTokensKey(clientBlock(sourceIp)), asked, { mustExist: false });
    const limited = callsOf(async () => expect((await ask(unknown(), { sourceIp })).kind).toBe('limited'));
    expect(await limited).toEqual([read(true), read(false)]);
  });

  it('is one write with a key that was deleted a moment before', async () => {
    const { tokenHash } = await storeToken();
    const sourceIp = freshAddress();
    await ask(tokenHash, { sourceIp });
    await deleteItem('traffic', tokenKey(tokenHash));
    expect((await ask(tokenHash, { sourceIp })).kind).toBe('unknown');
    // The refused write was all: it is not counted beside.
    expect(await getItem('traffic', unknownTokensKey(clientBlock(sourceIp)))).toBeUndefined();
  });

  it('is nothing over the limit, of a key or of its program', async () => {
    const alone = await storeToken();
    for (let asked = 0; asked < limitPerMinute; asked++) await ask(alone.tokenHash);
    expect(await callsOf(() => ask(alone.tokenHash))).toEqual([]);
    const programId = randomUUID();
    const keys = await Promise.all(Array.from({ length: 4 }, () => storeToken({ programId, sharesLimit: true })));
    for (const { tokenHash } of keys) await ask(tokenHash);
    for (const { tokenHash } of keys.slice(0, 3))
      for (let asked = 1; asked < limitPerMinute; asked++) await ask(tokenHash);
    const [, , , last] = keys;
    for (let asked = 0; asked < 2; asked++) await ask(last?.tokenHash ?? '');
    expect(await callsOf(() => ask(last?.tokenHash ?? ''))).toEqual([]);
  });
});

describe('keys that share a limit', () => {
  it("are told when their program's limit allows another request, once it is used up", async () => {
    const programId = randomUUID();
    const keys = await Promise.all(Array.from({ length: 4 }, () => storeToken({ programId, sharesLimit: true })));
    for (const { tokenHash } of keys.slice(0, 3))
      for (let asked = 0; asked < limitPerMinute; asked++) await ask(tokenHash);
    const last = keys[3]?.tokenHash ?? '';
    const usage = { limitPerMinute, remaining: 0, resetSeconds: 43, retryAfterSeconds: 43 };
    // First as one that is new here, then as one that is known.
    for (let asked = 0; asked < 2; asked++)
      expect(await ask(last, { at: later(20) })).toMatchObject({ kind: 'limited', usage });
    expect(rememberedToken(requestOf(last, { at: later(20) }))).toBeUndefined();
  });

  it('are told the limit of their key if it leaves fewer requests', async () => {
    const programId = randomUUID();
    const [one, other] = [
      await storeToken({ programId, sharesLimit: true }),
      await storeToken({ programId, sharesLimit: true }),
    ];
    await ask(one.tokenHash);
    const usage = { limitPerMinute, remaining: 4, resetSeconds: 63, retryAfterSeconds: 0 };
    expect((await ask(other.tokenHash, { at: later(20) })).usage).toEqual(usage);
  });
});

describe('a remembered token', () => {
  it('is one that was seen here, until its limit is reached', async () => {
    const { tokenHash, token } = await storeToken();
    expect(rememberedToken(requestOf(tokenHash))).toBeUndefined();
    for (let asked = 1; asked < limitPerMinute; asked++) {
      await ask(tokenHash);
      expect(rememberedToken(requestOf(tokenHash))).toEqual(token);
    }
    await ask(tokenHash);
    expect(rememberedToken(requestOf(tokenHash))).toBeUndefined();
    expect(rememberedToken(requestOf(tokenHash, { at: later(63) }))).toEqual(token);
  });

  it('that shares its limit is one while its program has some left', async () => {
    const programId = randomUUID();
    const { tokenHash, token } = await storeToken({ programId, sharesLimit: true });
    await ask(tokenHash);
    expect(rememberedToken(requestOf(tokenHash))).toEqual(token);
  });
});

describe('the counts of a key', () => {
  const key = tokenKey(unknown());
  const count = (counted: typeof key, at: Date) =>
    countRequest(counted, { endpoint, limitPerMinute, now: at }, { mustExist: true });
  const countsOf = async (counted: typeof key) => (await getItem('traffic', counted))?.counts;
  const name = endpointName(endpoint);

  it('have the minute of the request and, created ahead, the next one', async () => {
    const { tokenHash } = await storeToken();
    const { current, next } = minutesAt(now);
    await count(tokenKey(tokenHash), now);
    expect(await countsOf(tokenKey(tokenHash))).toEqual({ [current]: { [`${name}6`]: 1 }, [next]: {} });
    const { next: afterNext } = minutesAt(later(60));
    await count(tokenKey(tokenHash), later(60));
    expect(Object.keys((await countsOf(tokenKey(tokenHash))) as object).sort()).toEqual(
      [current, next, afterNext].sort(),
    );
  });

  it('lose what has expired: counters of the minute before, and older minutes', async () => {
    const { tokenHash } = await storeToken();
    const counted = tokenKey(tokenHash);
    const beginning = new Date('2026-03-01T12:00:02.000Z');
    await count(counted, beginning);
    await count(counted, new Date('2026-03-01T12:01:10.000Z'));
    await count(counted, new Date('2026-03-01T12:01:11.000Z'));
    const minutes = minutesAt(beginning);
    expect(await countsOf(counted)).toMatchObject({ [minutes.current]: {}, [minutes.next]: { [`${name}2`]: 2 } });
    await count(counted, new Date('2026-03-01T12:02:10.000Z'));
    expect(await countsOf(counted)).not.toHaveProperty(minutes.current);
  });

  it.each([
    { is: 'another one of its minute', requests: [0], left: 12 },
    { is: 'the first of its minute', requests: [180, 360], left: 16 },
  ])('lose at most 40 minutes with a request that is $is', async ({ requests, left }) => {
    const { tokenHash } = await storeToken();
    const counted = tokenKey(tokenHash);
    const { current, next } = minutesAt(now);
    const old = Array.from({ length: 50 }, (_, minute) => [(minute + 100).toString(36), {}]);
    await updateItem('traffic', counted, {
      UpdateExpression: 'SET counts = :counts',
      ExpressionAttributeValues: { ':counts': { ...Object.fromEntries(old), [current]: { [name]: 1 }, [next]: {} } },
    });
    const minutes = async () => Object.keys((await countsOf(counted)) as object);
    for (const seconds of requests) await count(counted, later(seconds));
    expect(await minutes()).toHaveLength(left);
    await count(counted, later(requests.at(-1) ?? 0));
    expect(await minutes()).toHaveLength(2);
  });

  it('race: whose responses come in the wrong order stay the higher ones', async () => {
    const { tokenHash } = await storeToken();
    const counted = tokenKey(tokenHash);
    await count(counted, now);
    const send = documents.send.bind(documents);
    let second: Promise<unknown> | undefined;
    vi.spyOn(documents, 'send').mockImplementation((async (command: Parameters<typeof send>[0]) => {
      const response = await send(command);
      if (second) return response;
      second = count(counted, now);
      await second;
      return response;
    }) as typeof documents.send);
    await count(counted, now);
    expect(lastSeenUsage(counted, { endpoint, limitPerMinute, now }).remaining).toBe(2);
  });

  it('tell when keys were last used, and leave out keys that never were', async () => {
    const [used, unused, gone] = [await storeToken(), await storeToken(), { tokenHash: unknown() }];
    await ask(used.tokenHash, { at: later(-600) });
    await ask(used.tokenHash);
    const uses = await readLastUses([used, unused, gone].map(({ tokenHash }) => tokenHash));
    expect([...uses]).toEqual([[used.tokenHash, '2026-03-01T12:00:00.000Z']]);
  });
});
