import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  dayCountOf,
  dayIn,
  daysOf,
  instantIn,
  lastDaysIn,
  localTimeIn,
  monthBeforeUntil,
  periodBefore,
  startOfDayIn,
} from '../../shared/platform/time/days.ts';

describe('the last days', () => {
  it.each([
    {
      count: 1,
      now: '2026-03-01T00:00:00.000Z',
      first: '2026-03-01',
      before: { first: '2026-02-28', last: '2026-02-28' },
    },
    {
      count: 7,
      now: '2026-03-01T23:59:59.999Z',
      first: '2026-02-23',
      before: { first: '2026-02-16', last: '2026-02-22' },
    },
    {
      count: 30,
      now: '2024-03-01T12:00:00.000Z',
      first: '2024-02-01',
      before: { first: '2024-01-02', last: '2024-01-31' },
    },
  ])('of which there are $count end today, in UTC, and those before them where they begin', (example) => {
    const { count, now, first, before } = example;
    const period = lastDaysIn('UTC', count, new Date(now));
    expect(period).toEqual({ first, last: now.slice(0, 10) });
    expect(dayCountOf(period)).toBe(count);
    expect(periodBefore(period)).toEqual(before);
    expect(dayCountOf(before)).toBe(count);
  });

  it.each([
    ['Asia/Tokyo', '2026-02-28T15:00:00.000Z', '2026-03-01'],
    ['Asia/Tokyo', '2026-02-28T14:59:59.999Z', '2026-02-28'],
    ['America/New_York', '2026-03-01T04:59:59.999Z', '2026-02-28'],
    // Half and quarter hours.
    ['Asia/Kolkata', '2026-02-28T18:30:00.000Z', '2026-03-01'],
    ['Asia/Kolkata', '2026-02-28T18:29:59.999Z', '2026-02-28'],
    ['Asia/Kathmandu', '2026-02-28T18:15:00.000Z', '2026-03-01'],
  ])('end today in %s: at %s that is %s', (timeZone, now, last) => {
    expect(lastDaysIn(timeZone, 1, new Date(now))).toEqual({ first: last, last });
  });

  it('are as many where the clocks change between them', () => {
    // An hour of March 29 is skipped, an hour of October 25 comes twice.
    for (const [now, first, last] of [
      ['2026-03-29T21:59:59.999Z', '2026-03-23', '2026-03-29'],
      ['2026-03-29T22:00:00.000Z', '2026-03-24', '2026-03-30'],
      ['2026-10-25T22:59:59.999Z', '2026-10-19', '2026-10-25'],
      ['2026-10-25T23:00:00.000Z', '2026-10-20', '2026-10-26'],
    ] as const) {
      const period = lastDaysIn('Europe/Berlin', 7, new Date(now));
      expect(period).toEqual({ first, last });
      expect(daysOf(period)).toHaveLength(7);
      expect(new Set(daysOf(period)).size).toBe(7);
    }
  });
});

describe('the day of a moment', () => {
  it.each([
    ['Europe/Berlin', '2026-03-28T22:59:59.999Z', '2026-03-28'],
    ['Europe/Berlin', '2026-03-28T23:00:00.000Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-29T22:00:00.000Z', '2026-03-30'],
    ['Europe/Berlin', '2026-10-25T22:59:59.999Z', '2026-10-25'],
    // The clocks change by half an hour.
    ['Australia/Lord_Howe', '2026-04-04T12:59:59.999Z', '2026-04-04'],
    ['Australia/Lord_Howe', '2026-04-05T13:29:59.999Z', '2026-04-05'],
    // Midnight comes twice.
    ['America/Havana', '2026-11-01T03:59:59.999Z', '2026-10-31'],
    ['America/Havana', '2026-11-01T04:00:00.000Z', '2026-11-01'],
    ['America/Havana', '2026-11-02T04:59:59.999Z', '2026-11-01'],
    ['UTC', '2026-03-01T23:59:59.999Z', '2026-03-01'],
  ])('in %s, %s, is %s', (timeZone, moment, day) => {
    expect(dayIn(timeZone, moment)).toBe(day);
    expect(dayIn(timeZone, new Date(moment))).toBe(day);
  });

  it('lies in that day and no other, in every time zone', () => {
    const zones = fc.constantFrom('UTC', ...Intl.supportedValuesOf('timeZone'));
    const moments = fc.date({ min: new Date('2015-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(zones, moments, (timeZone, date) => {
        const moment = date.toISOString();
        const day = dayIn(timeZone, moment);
        const [start, end] = [startOfDayIn(timeZone, day), startOfDayIn(timeZone, addDays(day, 1))];
        expect(start <= moment && moment < end).toBe(true);
        expect([dayIn(timeZone, start), dayIn(timeZone, end)]).toEqual([day, addDays(day, 1)]);
      }),
    );
  });
});

describe('a local time', () => {
  it.each([
    ['UTC', '2026-03-01T12:00', '2026-03-01T12:00:00.000Z'],
    ['Asia/Kolkata', '2026-03-01T12:00', '2026-03-01T06:30:00.000Z'],
    ['America/New_York', '2026-07-01T12:00:30', '2026-07-01T16:00:30.000Z'],
    // This time came twice, and this one never.
    ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
    ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T00:30:00.000Z'],
  ])('in %s, %s, is %s', (timeZone, localTime, moment) => expect(instantIn(timeZone, localTime)).toBe(moment));

  it('is shown to the minute that has begun', () => {
    expect(localTimeIn('Asia/Kathmandu', '2026-03-01T12:00:59.999Z')).toBe('2026-03-01T17:45');
    expect(localTimeIn('UTC', '2026-03-01T12:00:00.000Z')).toBe('2026-03-01T12:00');
  });
});

it.each([
  ['2026-11-25', '2026-10-01', '2026-10-25'],
  ['2026-03-31', '2026-02-01', '2026-02-28'],
  ['2028-03-29', '2028-02-01', '2028-02-29'],
  ['2026-01-01', '2025-12-01', '2025-12-01'],
])('the month before %s is from %s to %s', (day, first, last) => {
  expect(monthBeforeUntil(day)).toEqual({ first, last });
});
