import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slicesAt, type Usage, usageOf } from '../../shared/access/rate-limit.ts';

/** The counters of one endpoint as the table keeps them, without the table. */
const simulated = (limitPerMinute: number) => {
  const counters = new Map<number, number>();
  return (atMilliseconds: number): Usage & { passed: boolean } => {
    const now = new Date(atMilliseconds);
    const slices = slicesAt(now);
    const current = slices.at(-1) ?? 0;
    const countsNow = () => slices.map((slice) => counters.get(slice) ?? 0);
    const passed = usageOf(limitPerMinute, countsNow(), now).remaining > 0;
    if (passed) counters.set(current, (counters.get(current) ?? 0) + 1);
    return { ...usageOf(limitPerMinute, countsNow(), now), passed };
  };
};

const mostInAnyMinute = (moments: readonly number[]): number =>
  Math.max(0, ...moments.map((end) => moments.filter((at) => at > end - 60_000 && at <= end).length));

const minute = 60_000;
const start = Date.UTC(2030, 0, 1);

describe('the sliding minute', () => {
  it('allows no sixty seconds more than the limit, however requests are bunched', () => {
    const bursts = fc.array(
      fc.record({ waitMilliseconds: fc.integer({ min: 0, max: 65_000 }), requests: fc.integer({ min: 1, max: 30 }) }),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(bursts, (planned) => {
        const hit = simulated(20);
        const passed: number[] = [];
        let at = start;
        for (const { waitMilliseconds, requests } of planned) {
          at += waitMilliseconds;
          for (let request = 0; request < requests; request++) if (hit(at).passed) passed.push(at);
        }
        expect(mostInAnyMinute(passed)).toBeLessThanOrEqual(20);
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

  it('forgets a burst within 65 seconds', () => {
    const hit = simulated(100);
    for (let request = 0; request < 100; request++) hit(start);
    expect(hit(start + 65_000).passed).toBe(true);
  });

  it('never refuses a steady client that keeps to nine tenths of the limit', () => {
    const hit = simulated(600);
    for (let at = start; at < start + 5 * minute; at += 1000 / 9) expect(hit(at).passed).toBe(true);
  });

  it('names a wait after which a request passes, and no shorter one that is a slice less', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 70_000 }), { minLength: 5, maxLength: 30 }), (offsets) => {
        const hit = simulated(5);
        const sorted = offsets.map((offset) => start + offset).sort((one, other) => one - other);
        for (const at of sorted) {
          const usage = hit(at);
          if (usage.passed) continue;
          expect(Number.isInteger(usage.retryAfterSeconds)).toBe(true);
          expect(usage.retryAfterSeconds).toBeGreaterThanOrEqual(1);
          expect(usage.retryAfterSeconds).toBeLessThanOrEqual(65);
          expect(hit(at + usage.retryAfterSeconds * 1000).passed).toBe(true);
          break;
        }
      }),
    );
  });

  it('says what remains, and when more is allowed, in whole seconds', () => {
    const hit = simulated(3);
    expect(hit(start + 1_200)).toMatchObject({ limitPerMinute: 3, remaining: 2, retryAfterSeconds: 0 });
    expect(hit(start + 30_000)).toMatchObject({ remaining: 1 });
    expect(hit(start + 30_000)).toMatchObject({ remaining: 0, resetSeconds: 35, retryAfterSeconds: 35 });
  });
});
