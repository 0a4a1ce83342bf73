import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { dayOf, endOfDay, expiryOf, startOfDay } from '../../shared/web/components/days.ts';
import { localeOf, withFormats } from '../../shared/web/components/formats.ts';
import { moneyText } from '../../shared/web/components/money.tsx';
import { dayText, Time } from '../../shared/web/components/time.tsx';
import { rangeOf } from '../../shared/web/lists/list-part.ts';

const inZone = <Result>(timeZone: string, show: () => Result, locale = 'en-US'): Result =>
  withFormats({ locale, timeZone }, show);

describe('the locale of a browser', () => {
  it.each([
    [undefined, 'en-US'],
    ['*', 'en-US'],
    ['de', 'de-DE'],
    ['de-CH,de;q=0.9,en;q=0.8', 'de-CH'],
    ['EN-gb', 'en-GB'],
    ['tlh, ar;q=0.9, fr-BE;q=0.8', 'fr-FR'],
    ['x'.repeat(10_000), 'en-US'],
    ['en-US-u-nu-thai', 'en-US'],
  ])('for %s is %s', (header, locale) => expect(localeOf(header)).toBe(locale));
});

describe('what a reader sees', () => {
  const at = '2026-11-22T23:30:05.000Z';
  const shown = (to?: 'day' | 'minute' | 'second') =>
    renderToString(h(Time, { at, ...(to && { to }) })).replace(/<[^>]+>/g, '');

  it('is in UTC and English where nothing is known', () => {
    expect([shown(), shown('day'), moneyText(123450, 'EUR')]).toEqual([
      'Nov 22, 2026, 23:30 UTC',
      'Nov 22, 2026',
      '€1,234.50',
    ]);
  });

  it('has the time of the program and the words of the browser', () => {
    expect(inZone('Asia/Tokyo', () => [shown('second'), shown('day')])).toEqual([
      'Nov 23, 2026, 08:30:05 GMT+9',
      'Nov 23, 2026',
    ]);
    const german = inZone('Europe/Berlin', () => [shown(), shown('day'), moneyText(123450, 'EUR')], 'de-DE');
    expect(german).toEqual(['23. Nov. 2026, 00:30 MEZ', '23.11.2026', '1.234,50\u00a0€']);
  });

  it('leaves a day what it is in any zone', () => {
    for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago'])
      expect(inZone(zone, () => dayText('2026-03-01'))).toBe('Mar 1, 2026');
  });
});

describe('a day of a program', () => {
  it.each([
    ['UTC', '2026-03-29', '2026-03-29T00:00:00.000Z', '2026-03-29T23:59:59.999Z'],
    // The clocks change: the day has 23 or 25 hours.
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999Z'],
    ['America/New_York', '2026-11-01', '2026-11-01T04:00:00.000Z', '2026-11-02T04:59:59.999Z'],
    ['Asia/Kolkata', '2026-01-01', '2025-12-31T18:30:00.000Z', '2026-01-01T18:29:59.999Z'],
    ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00.000Z', '2026-01-01T09:59:59.999Z'],
    // This day began at 01:00.
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z', '2026-04-24T20:59:59.999Z'],
  ])('in %s, %s, begins and ends there', (zone, day, start, end) => {
    expect(inZone(zone, () => [startOfDay(day), endOfDay(day)])).toEqual([start, end]);
    expect(inZone(zone, () => [dayOf(start), dayOf(end)])).toEqual([day, day]);
    expect(inZone(zone, () => dayOf(new Date(Date.parse(start) - 1)))).not.toBe(day);
  });

  it('bounds the filters of a list, both days included', () => {
    expect(inZone('Asia/Tokyo', () => rangeOf({ from: '2026-03-01', to: '2026-03-02' }))).toMatchObject({
      createdAfter: '2026-02-28T15:00:00.000Z',
      createdBefore: '2026-03-02T15:00:00.000Z',
    });
  });

  it('can end a code today, and not on a day that is over', () => {
    const now = new Date('2026-03-01T12:00:00.000Z');
    expect(expiryOf('expiresAt', '2026-03-01', now)).toBe('2026-03-01T23:59:59.999Z');
    expect(() => expiryOf('expiresAt', '2026-02-28', now)).toThrow('expiresAt is in the past');
    // There it is tomorrow already.
    expect(() => inZone('Pacific/Kiritimati', () => expiryOf('expiresAt', '2026-03-01', now))).toThrow('in the past');
    expect([expiryOf('expiresAt', null, now), expiryOf('expiresAt', undefined, now)]).toEqual([null, undefined]);
  });
});
