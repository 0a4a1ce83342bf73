import { randomInt, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { deleteItem, getItem } from '../../shared/platform/table/items.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { acquireSlot, knownWait } from '../../shared/webhooks/delivery/in-flight.ts';
import { now } from '../support/domain.ts';
import { interrupted } from '../support/interrupted.ts';

type Slot = Exclude<Awaited<ReturnType<typeof acquireSlot>>, { waitMilliseconds: number }>;

/** Starts at random, because the file may run more than once on one database. */
let lastMinute = randomInt(365 * 24 * 60);
/** A minute that no other test has: the pool of endpoints that hang is everybody's. */
const freshMinute = () => {
  lastMinute += 1;
  return new Date(now.getTime() + lastMinute * 60_000);
};

const endpoint = (overrides: { failingSince?: string | null; isResponsive?: boolean } = {}) => ({
  id: randomUUID(),
  failingSince: null,
  isResponsive: true,
  ...overrides,
});

/** Nothing has moved for so long that nobody waits. */
const stuck = (minute: Date) => ({ now: () => new Date(minute.getTime() + 2001), random: () => 0 });

const acquire = async (
  programId: string,
  one: ReturnType<typeof endpoint>,
  minute: Date,
): Promise<Slot | undefined> => {
  const acquired = await acquireSlot(programId, one, { now: () => minute, random: () => 0 });
  return 'leave' in acquired ? acquired : undefined;
};

const acquireMany = async (count: number, programId: string, one: ReturnType<typeof endpoint>, minute: Date) => {
  for (let at = 0; at < count; at++) expect(await acquire(programId, one, minute)).toBeDefined();
};

describe('a slot', () => {
  it.each([
    { is: 'that responds', overrides: {}, most: 24 },
    { is: 'that has failed for a minute', overrides: { failingSince: -60_000 }, most: 2 },
    { is: 'that has failed for less', overrides: { failingSince: -59_999 }, most: 24 },
    { is: 'that hangs or is new', overrides: { isResponsive: false }, most: 1 },
  ])('is one of $most of an endpoint $is', async ({ overrides: { failingSince, ...rest }, most }) => {
    const minute = freshMinute();
    const since = failingSince === undefined ? null : new Date(minute.getTime() + failingSince).toISOString();
    const one = endpoint({ ...rest, failingSince: since });
    const programId = randomUUID();
    await acquireMany(most, programId, one, minute);
    expect(await acquireSlot(programId, one, stuck(minute))).toEqual({ waitMilliseconds: 30_000 });
    expect(knownWait(one.id, stuck(minute))).toBe(30_000);
    expect(knownWait(randomUUID(), stuck(minute))).toBeUndefined();
  });

  it('is one of 40 of a program, whatever its endpoints, and other programs have theirs', async () => {
    const minute = freshMinute();
    const programId = randomUUID();
    await acquireMany(24, programId, endpoint(), minute);
    await acquireMany(16, programId, endpoint(), minute);
    expect(await acquireSlot(programId, endpoint(), stuck(minute))).toEqual({ waitMilliseconds: 30_000 });
    expect(await acquire(randomUUID(), endpoint(), minute)).toBeDefined();
  });

  it('of those that hang is one of two of a program, and of 24 of all', async () => {
    const minute = freshMinute();
    const hanging = () => endpoint({ isResponsive: false });
    for (let count = 0; count < 12; count++) {
      const programId = randomUUID();
      await acquireMany(1, programId, hanging(), minute);
      await acquireMany(1, programId, hanging(), minute);
      expect(await acquireSlot(programId, hanging(), stuck(minute))).toHaveProperty('waitMilliseconds');
    }
    expect(await acquireSlot(randomUUID(), hanging(), stuck(minute))).toHaveProperty('waitMilliseconds');
    expect(await acquire(randomUUID(), endpoint(), minute)).toBeDefined();
  });

  it('is free again when its attempt ends, and in the next minute where it never did', async () => {
    const minute = freshMinute();
    const programId = randomUUID();
    const one = endpoint({ isResponsive: false });
    const slot = await acquire(programId, one, minute);
    expect(await acquireSlot(programId, one, stuck(minute))).toHaveProperty('waitMilliseconds');
    await slot?.leave(minute);
    await acquireMany(1, programId, one, minute);
    await acquireMany(1, programId, one, freshMinute());
  });

  it('is given back once, and brings no minute back that was cleared away', async () => {
    const minute = freshMinute();
    const programId = randomUUID();
    const slot = await acquire(programId, endpoint(), minute);
    const key = { pk: partition(programId, 'IN_FLIGHT'), sk: String(Math.floor(minute.getTime() / 60_000)) };
    expect(await getItem('traffic', key)).toMatchObject({ inFlight: 1, ttl: minute.getTime() / 1000 + 120 });
    await deleteItem('traffic', key);
    await slot?.leave(minute);
    expect(await getItem('traffic', key)).toBeUndefined();
  });

  it('race: that is the last one is taken once', async () => {
    const minute = freshMinute();
    const programId = randomUUID();
    const one = endpoint({ isResponsive: false });
    const take = () => acquireSlot(programId, one, stuck(minute));
    let other: Awaited<ReturnType<typeof take>> | undefined;
    const first = await interrupted(take, async () => {
      other = await take();
    });
    // It was taken a moment ago, so it moves: whoever comes second tries again soon.
    expect(first).toEqual({ waitMilliseconds: 0 });
    expect(other).toHaveProperty('leave');
  });
});
