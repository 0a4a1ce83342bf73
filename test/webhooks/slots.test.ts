import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { acquireSlot } from '../../shared/webhooks/delivery/in-flight.ts';
import '../support/program.ts';

type Slot = Exclude<Awaited<ReturnType<typeof acquireSlot>>, { waitMilliseconds: number }>;

// A minute of its own, far away: the stack beside it delivers in this one, with the same pool.
const newMinute = () => new Date(Date.UTC(2040, 0, 1) + Math.floor(Math.random() * 1e7) * 60_000);

const endpoint = (isResponsive: boolean) => ({ id: randomUUID(), failingSince: null, isResponsive });

type Endpoint = ReturnType<typeof endpoint>;

/** Acquires a slot for each endpoint, all at the same time; returns those that were acquired. */
const acquireAll = async (programId: string, endpoints: readonly Endpoint[], now: Date): Promise<Slot[]> => {
  const asked = endpoints.map((one) => acquireSlot(programId, one, { now: () => now, random: () => 0 }));
  return (await Promise.all(asked)).filter((acquired) => 'leave' in acquired);
};
const times = (count: number, one: Endpoint): Endpoint[] => Array.from({ length: count }, () => one);

it('a program has at most half of the slots, an endpoint 24 of them', async () => {
  const programId = randomUUID();
  const now = newMinute();
  const [one, two, three] = [endpoint(true), endpoint(true), endpoint(true)];
  const first = await acquireAll(programId, times(30, one), now);
  expect(first).toHaveLength(24);
  expect(await acquireAll(programId, times(20, two), now)).toHaveLength(16);
  expect(await acquireAll(programId, times(2, three), now)).toHaveLength(0);
  expect(await acquireAll(randomUUID(), [endpoint(true)], now)).toHaveLength(1);
  await first[0]?.leave(now);
  expect(await acquireAll(programId, times(2, three), now)).toHaveLength(1);
});

it('endpoints that hang share 24 slots over all programs, two of a program and one of each', async () => {
  const now = newMinute();
  const one = endpoint(false);
  expect(await acquireAll(randomUUID(), times(4, one), now)).toHaveLength(1);
  const programs = Array.from({ length: 20 }, () => [endpoint(false), endpoint(false), endpoint(false)]);
  const got = await Promise.all(programs.map((endpoints) => acquireAll(randomUUID(), endpoints, now)));
  expect(Math.max(...got.map((slots) => slots.length))).toBe(2);
  expect(got.flat()).toHaveLength(23);
  expect(await acquireAll(randomUUID(), [endpoint(true)], now)).toHaveLength(1);
});

it('what finds a pool full in which nothing moves stays away for half a minute at least', async () => {
  const programId = randomUUID();
  const now = newMinute();
  const one = endpoint(false);
  await acquireAll(programId, [one], now);
  const later = { now: () => new Date(now.getTime() + 2500), random: () => 0 };
  expect(await acquireSlot(programId, one, later)).toEqual({ waitMilliseconds: 30_000 });
});
