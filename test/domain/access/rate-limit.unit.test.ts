import { describe, expect, it } from 'vitest';
import {
  activeCountOf,
  counterFor,
  forgottenAtSeconds,
  forgottenIn,
  lastMinuteOf,
  minutesAt,
  usageOf,
} from '../../../shared/domain/access/rate-limit.ts';

// Minute 100 since the epoch, whose name is `2s`; a counter is an endpoint of two characters and a slice of 5 seconds.
const at = (seconds: number) => new Date(100 * 60_000 + seconds * 1000);

describe('the minutes of a moment', () => {
  it('have short names, with those beside them', () => {
    expect(minutesAt(at(0))).toEqual({ previous: '2r', current: '2s', next: '2t' });
    expect(minutesAt(at(59.999))).toEqual({ previous: '2r', current: '2s', next: '2t' });
    expect(minutesAt(new Date(35 * 60_000))).toEqual({ previous: 'y', current: 'z', next: '10' });
  });

  it.each([
    { counts: {}, last: undefined },
    { counts: { '2s': {} }, last: undefined },
    { counts: { '2s': { RN: 1 }, '2t': {} }, last: at(0) },
    { counts: { '2r': { RN: 1 }, '2s': { RN: 1 }, z: { RN: 1 } }, last: at(0) },
    { counts: { '2s': { RN: 1 }, '2r': { RN: 1 } }, last: at(0) },
  ])('tell when a key was last used: $counts', ({ counts, last }) => expect(lastMinuteOf(counts)).toEqual(last));

  it('expire, all that was counted by then, when the minute after the next begins', () => {
    for (const seconds of [0, 59.999]) expect(forgottenAtSeconds(at(seconds))).toBe(102 * 60);
  });
});

describe('a count', () => {
  it.each([
    { counts: { '2s': { RN: 7 } }, seconds: 119.999, count: 7 },
    { counts: { '2s': { RN: 7 } }, seconds: 120, count: 0 },
    { counts: { '2s': { RN2: 7 } }, seconds: 74.999, count: 7 },
    { counts: { '2s': { RN2: 7 } }, seconds: 75, count: 0 },
    {
      counts: { '2s': { RN: 1, RN0: 2, RNb: 4, XX: 8, XX3: 16 }, '2r': { RN: 32 }, '2t': { RN: 64 } },
      seconds: 5,
      count: 103,
    },
    { counts: { '2q': { RN: 1 }, '2u': { RN: 1 } }, seconds: 5, count: 0 },
  ])('of an endpoint is active for a minute after its slice: $counts at $seconds s', ({ counts, seconds, count }) =>
    expect(activeCountOf(counts, 'RN', at(seconds))).toBe(count),
  );

  it.each([
    { seconds: 64.999, previousCounters: [] },
    { seconds: 65, previousCounters: ['RN0'] },
    { seconds: 75, previousCounters: ['RN0', 'RN2'] },
  ])('that is active no more is forgotten: at $seconds s', ({ seconds, previousCounters }) => {
    const counts = { '2p': {}, '2q': {}, '2r': { RN0: 1 }, '2s': { RN0: 1, RN2: 1, RN: 1 } };
    expect(forgottenIn(counts, at(seconds))).toEqual({ minutes: ['2p', '2q', '2r'], previousCounters });
    expect(forgottenIn({ ...counts, '2t': {} }, at(5)).minutes).toEqual(['2p', '2q']);
  });
});

describe('what a key is told', () => {
  const told = (remaining: number, resetSeconds: number, retryAfterSeconds: number) => ({
    limitPerMinute: 3,
    remaining,
    resetSeconds,
    retryAfterSeconds,
  });
  it.each([
    { counts: {}, usage: told(3, 60, 0) },
    { counts: { '2s': { RN1: 1 } }, usage: told(2, 58, 0) },
    { counts: { '2s': { RN2: 1, RN1: 1 } }, usage: told(1, 58, 0) },
    { counts: { '2s': { RN2: 2, RN1: 1 } }, usage: told(0, 58, 58) },
    { counts: { '2s': { RN2: 3, RN1: 1 } }, usage: told(0, 58, 63) },
    { counts: { '2s': { RN2: 1, RN1: 2, RN: 1 } }, usage: told(0, 58, 58) },
    { counts: { '2s': { RN2: 3, RN1: 1, RN0: 1 } }, usage: told(0, 53, 63) },
    { counts: { '2s': { RN: 9 } }, usage: told(0, 108, 108) },
  ])('after $counts', ({ counts, usage }) => expect(usageOf(counts, 'RN', 3, at(12))).toEqual(usage));
});

describe('the counter of a request', () => {
  const others = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, other) => [`X${other}`, 1]));
  it.each([
    { is: 'the minute’s, up to a fiftieth of the limit', counters: {}, counter: { name: 'RN', below: 2 } },
    { is: 'the minute’s until that', counters: { RN: 1 }, counter: { name: 'RN', below: 2 } },
    { is: 'then that of the slice', counters: { RN: 2 }, counter: { name: 'RN6', below: 98 } },
    { is: 'then up to what is left', counters: { RN: 2, RN6: 5, RN1: 40 }, counter: { name: 'RN6', below: 58 } },
    { is: 'the minute’s, up to what is left', counters: { RN1: 99 }, counter: { name: 'RN', below: 1 } },
    {
      is: 'that of the slice beside 63 others',
      counters: { RN: 2, ...others(63) },
      counter: { name: 'RN6', below: 98 },
    },
    {
      is: 'the minute’s, and more of it, in a crowd',
      counters: { RN: 2, ...others(64) },
      counter: { name: 'RN', below: 12 },
    },
  ])('is $is', ({ counters, counter }) => expect(counterFor({ '2s': counters }, 'RN', 100, at(30))).toEqual(counter));
});
