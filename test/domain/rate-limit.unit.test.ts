import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countedPathOf } from '../../shared/contract/operation.ts';
import { connectorOnly, operations } from '../../shared/contract/operations.ts';
import {
  type Counts,
  counterFor,
  endpointName,
  forgottenIn,
  minutesAt,
  usageOf,
} from '../../shared/domain/access/rate-limit.ts';
import { itemSize } from '../support/item-size.ts';

const minute = 60_000;
const start = Date.UTC(2030, 0, 1);

/** The counters of a key as the table keeps them, without the table. */
const simulatedKey = () => {
  const counts: Record<string, Record<string, number>> = {};
  const hit = (endpoint: string, limitPerMinute: number, atMilliseconds: number) => {
    const now = new Date(atMilliseconds);
    const name = endpointName(endpoint);
    const seen: Counts = counts;
    const passed = usageOf(seen, name, limitPerMinute, now).remaining > 0;
    if (passed) {
      const counter = counterFor(seen, name, limitPerMinute, now);
      const forgotten = forgottenIn(seen, now);
      const { previous, current, next } = minutesAt(now);
      for (const gone of forgotten.minutes) delete counts[gone];
      for (const gone of forgotten.previousCounters) delete counts[previous]?.[gone];
      counts[next] ??= {};
      counts[current] ??= {};
      const counters = counts[current];
      counters[counter.name] = (counters[counter.name] ?? 0) + 1;
      if ((counters[counter.name] ?? 0) > counter.below) throw new Error('A counter went beyond its bound');
    }
    return { passed, usage: () => usageOf(counts, name, limitPerMinute, now) };
  };
  return { counts, hit };
};

const simulated = (limitPerMinute: number) => {
  const { hit } = simulatedKey();
  return (atMilliseconds: number) => hit('GET /affiliates', limitPerMinute, atMilliseconds);
};

const countBetween = (moments: readonly number[], after: number, until: number): number =>
  moments.filter((at) => at > after && at <= until).length;

/** The maximum number of these moments, which are in order, within sixty seconds. */
const maxInAMinute = (moments: readonly number[]): number => {
  let first = 0;
  let max = 0;
  for (const [last, end] of moments.entries()) {
    while ((moments[first] ?? end) <= end - minute) first++;
    max = Math.max(max, last - first + 1);
  }
  return max;
};

const bursts = fc.array(
  fc.record({ waitMilliseconds: fc.integer({ min: 0, max: 65_000 }), requests: fc.integer({ min: 1, max: 90 }) }),
  { minLength: 1, maxLength: 20 },
);

/** All that bursts make of a limit: the moments that passed, and those that were refused. */
const play = (
  planned: readonly { waitMilliseconds: number; requests: number }[],
  hit: (atMilliseconds: number) => { passed: boolean },
) => {
  const passed: number[] = [];
  const refused: number[] = [];
  let at = start;
  for (const { waitMilliseconds, requests } of planned) {
    at += waitMilliseconds;
    for (let request = 0; request < requests; request++) (hit(at).passed ? passed : refused).push(at);
  }
  return { passed, refused };
};

describe('the sliding minute', () => {
  it.each([5, 60, 200])('allows no sixty seconds more than a limit of %i, however requests are bunched', (limit) => {
    fc.assert(
      fc.property(bursts, (planned) => {
        const { passed } = play(planned, simulated(limit));
        expect(maxInAMinute(passed)).toBeLessThanOrEqual(limit);
      }),
    );
  });

  /** An endpoint of a key that is used for eighty others too, once a minute. */
  const ofCrowdedKey = (limitPerMinute: number) => {
    const key = simulatedKey();
    let last = 0;
    return (at: number) => {
      const thisMinute = Math.floor(at / minute);
      if (thisMinute !== last) for (let other = 0; other < 80; other++) key.hit(`GET /other-${other}`, 600, at);
      last = thisMinute;
      return key.hit('GET /affiliates', limitPerMinute, at);
    };
  };

  it('allows no sixty seconds more than the limit to an endpoint of a key that counts many', () => {
    fc.assert(
      fc.property(bursts, (planned) => {
        const { passed } = play(planned, ofCrowdedKey(100));
        expect(maxInAMinute(passed)).toBeLessThanOrEqual(100);
      }),
      { numRuns: 12 },
    );
  });

  it.each([
    { key: 'a key', make: simulated, share: 0.9, runs: 60 },
    { key: 'a key that counts many endpoints', make: ofCrowdedKey, share: 0.75, runs: 12 },
  ])('refuses with $key only what comes to $share of the limit in 65 seconds', ({ make, share, runs }) => {
    const limit = 150;
    fc.assert(
      fc.property(bursts, (planned) => {
        const { passed, refused } = play(planned, make(limit));
        for (const at of new Set(refused))
          expect(countBetween(passed, at - 65_000, at)).toBeGreaterThanOrEqual(limit * share);
      }),
      { numRuns: runs },
    );
  });

  it('lets a fresh key use the whole limit, at whatever moment and pace', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: minute }), fc.integer({ min: 0, max: 590 }), (offset, pause) => {
        const hit = simulated(100);
        for (let request = 0; request < 100; request++) expect(hit(start + offset + request * pause).passed).toBe(true);
      }),
    );
  });

  it.each([100, 50_000, 59_000, 59_999])(
    'still remembers a burst at the end of a minute %i ms later',
    (laterMilliseconds) => {
      const hit = simulated(100);
      for (let request = 0; request < 100; request++) expect(hit(start + minute - 1).passed).toBe(true);
      expect(hit(start + minute - 1 + laterMilliseconds).passed).toBe(false);
    },
  );

  it('forgets nine tenths of a burst within 65 seconds, and all of it within two minutes', () => {
    const hit = simulated(100);
    for (let request = 0; request < 100; request++) hit(start);
    expect(hit(start + 65_000).usage().remaining).toBeGreaterThanOrEqual(90 - 1);
    expect(hit(start + 2 * minute).usage().remaining).toBe(100 - 2);
  });

  it('never refuses a steady client that keeps to nine tenths of the limit, whenever it begins', () => {
    const limit = 300;
    for (let offset = 0; offset < minute; offset += 1300) {
      const hit = simulated(limit);
      const pause = minute / (limit * 0.9);
      const hits = Array.from({ length: limit * 3 }, (_, request) => hit(start + offset + request * pause));
      expect(hits.filter(({ passed }) => !passed)).toEqual([]);
    }
  });

  it('names a wait after which a request passes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 70_000 }), { minLength: 5, maxLength: 30 }), (offsets) => {
        const hit = simulated(5);
        const sorted = offsets.map((offset) => start + offset).sort((one, other) => one - other);
        for (const at of sorted) {
          const { passed, usage } = hit(at);
          if (passed) continue;
          const { retryAfterSeconds } = usage();
          expect(Number.isInteger(retryAfterSeconds)).toBe(true);
          expect(retryAfterSeconds).toBeGreaterThanOrEqual(1);
          expect(retryAfterSeconds).toBeLessThanOrEqual(65);
          expect(hit(at + retryAfterSeconds * 1000).passed).toBe(true);
          break;
        }
      }),
    );
  });

  it('says what remains, and when more is allowed, in whole seconds', () => {
    const hit = simulated(3);
    expect(hit(start + 1_200).usage()).toMatchObject({ limitPerMinute: 3, remaining: 2, retryAfterSeconds: 0 });
    expect(hit(start + 30_000).usage()).toMatchObject({ remaining: 1 });
    expect(hit(start + 30_000).usage()).toMatchObject({ remaining: 0, resetSeconds: 35, retryAfterSeconds: 35 });
  });
});

describe('the counters of a key', () => {
  const counted = [...operations, ...connectorOnly].filter(({ auth }) => auth !== 'none');
  const endpoints = [...new Set(counted.map((operation) => `${operation.method} ${countedPathOf(operation)}`))];

  it('have a name of their own for each method and path, which no deployment changes', () => {
    expect(endpoints.length).toBeGreaterThan(40);
    expect(new Set(endpoints.map(endpointName)).size).toBe(endpoints.length);
    expect(endpointName('GET /affiliates')).toBe('RN');
  });

  /** What a token's item holds beside its counters, each value as long as it gets. */
  const token = {
    pk: `TOKEN#${'0'.repeat(64)}`,
    sk: 'TOKEN',
    programId: '0'.repeat(36),
    keyId: '0'.repeat(36),
    kind: 'CONNECTOR',
    plan: 'BUSINESS',
    programDeleted: false,
    currency: 'USD',
    commissionRate: 12.345,
    sharesLimit: false,
  };

  /** The largest that the item gets while endpoints are polled for some minutes. */
  const largestItem = (polled: readonly string[], secondsBetween: number): number => {
    const { counts, hit } = simulatedKey();
    let largest = 0;
    let refused = 0;
    for (let second = 0; second < 200; second += secondsBetween) {
      for (const [at, endpoint] of polled.entries()) {
        const limit = endpoint.startsWith('GET') ? 600 : 300;
        if (!hit(endpoint, limit, start + second * 1000 + at * 3).passed) refused += 1;
      }
      largest = Math.max(largest, itemSize({ ...token, counts }));
    }
    expect(refused).toBe(0);
    return largest;
  };

  const sixty = [...endpoints, ...Array.from({ length: 60 }, (_, at) => `GET /more-${at}`)].slice(0, 60);

  it('take less than 1 KB with sixty endpoints that are each called once a second', () => {
    expect(sixty.filter((endpoint) => !endpoint.startsWith('GET')).length).toBeGreaterThan(20);
    expect(largestItem(sixty, 1)).toBeLessThan(1024);
  });

  it('take less than 1 KB with eleven endpoints that are each called once a second', () => {
    expect(largestItem(endpoints.slice(0, 11), 1)).toBeLessThan(1024);
  });

  it('take less than 1 KB with four endpoints at nine tenths of their limits', () => {
    const busy = endpoints.filter((endpoint) => endpoint.startsWith('GET')).slice(0, 4);
    expect(largestItem(busy, 1 / 9)).toBeLessThan(1024);
  });
});
