import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryAfterSeconds, retrySchedule, waitSeconds } from '../../shared/webhooks/delivery/retry-schedule.ts';

const hour = 3600;
const standard = [5, 300, 1800, 2 * hour, 5 * hour, 10 * hour, 10 * hour];
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the waits between attempts', () => {
  it('are 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, so that a delivery has eight attempts', () => {
    expect(retrySchedule('')).toEqual(standard);
    expect(waitSeconds(standard, 8, undefined, 0.5)).toBeUndefined();
  });

  it('can be set at deploy', () => {
    expect(retrySchedule('1,2,3')).toEqual([1, 2, 3]);
  });

  it('stay within 20 % of the schedule and are whole seconds', () => {
    fc.assert(
      fc.property(random, fc.integer({ min: 1, max: 7 }), (draw, failures) => {
        const wait = waitSeconds(standard, failures, undefined, draw) ?? 0;
        const scheduled = standard[failures - 1] ?? 0;
        expect(Number.isInteger(wait)).toBe(true);
        expect(wait).toBeGreaterThanOrEqual(0.8 * scheduled);
        expect(wait).toBeLessThanOrEqual(1.2 * scheduled);
      }),
    );
  });

  it('differ from one delivery to the next', () => {
    expect(waitSeconds(standard, 2, undefined, 0)).toBe(240);
    expect(waitSeconds(standard, 2, undefined, 0.5)).toBe(300);
    expect(waitSeconds(standard, 2, undefined, 0.999)).toBe(359);
  });

  it('never are shorter than what the receiver asks for, up to twice the schedule', () => {
    fc.assert(
      fc.property(random, fc.integer({ min: 0, max: 10_000 }), (draw, asked) => {
        const wait = waitSeconds(standard, 2, asked, draw) ?? 0;
        expect(wait).toBeGreaterThanOrEqual(Math.max(240, Math.min(asked, 600)));
        expect(wait).toBeLessThanOrEqual(Math.max(360, Math.min(asked, 600)));
      }),
    );
    expect(waitSeconds(standard, 2, 86_400, 0)).toBe(600);
  });
});

describe('Retry-After', () => {
  const now = new Date('2026-01-31T12:00:00.000Z');

  it('is read as seconds or as a date', () => {
    expect(retryAfterSeconds('120', now)).toBe(120);
    expect(retryAfterSeconds(' 120 ', now)).toBe(120);
    expect(retryAfterSeconds('Sat, 31 Jan 2026 12:01:30 GMT', now)).toBe(90);
    expect(retryAfterSeconds('Sat, 31 Jan 2026 11:00:00 GMT', now)).toBe(0);
  });

  it.each([
    undefined,
    '',
    'soon',
    '-5',
    '1.5',
    '2026-02-01',
    'Foo, bar GMT',
    'in Sat, 31 Jan 2026 12:01:30 GMT',
    'Sat, 31 Jan 2026 12:01:30 GMT+0100',
  ])('is ignored as %j', (header) => {
    expect(retryAfterSeconds(header, now)).toBeUndefined();
  });
});
