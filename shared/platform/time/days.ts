import { getISO } from 'temporal-polyfill/fns/Calendar';
import * as PlainDate from 'temporal-polyfill/fns/PlainDate';
import * as PlainDateTime from 'temporal-polyfill/fns/PlainDateTime';
import { remembered } from '../text/remembered.ts';

/** Days such as 2026-01-31, and times such as 2026-01-31T12:00, of a time zone. docs/behavior.md#time-zone-of-a-program */

// The locale whose dates are written as 2026-01-31, and times as 2026-01-31 12:00.
const dayFormat = remembered((timeZone) => new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone }));
const timeFormat = remembered(
  (timeZone) => new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone }),
);

const dayCalled = (day: string) => PlainDate.fromString(day, getISO);

const textOf = ({ epochMilliseconds }: { epochMilliseconds: number }): string =>
  new Date(epochMilliseconds).toISOString();

/** In UTC without Intl, whose first use takes a function 13 ms. */
export const dayIn = (timeZone: string, moment: string | Date): string => {
  const date = new Date(moment);
  return timeZone === 'UTC' ? date.toISOString().slice(0, 10) : dayFormat(timeZone).format(date);
};

/** The first moment of a day, which is not midnight where the clock skips it. */
export const startOfDayIn = (timeZone: string, day: string): string =>
  textOf(PlainDate.toZonedDateTime(dayCalled(day), timeZone));

/** The moment of a local time: the first of two, where the clock is turned back over it. */
export const instantIn = (timeZone: string, localTime: string): string =>
  textOf(
    PlainDateTime.toZonedDateTime(PlainDateTime.fromString(localTime, getISO), timeZone, { disambiguation: 'earlier' }),
  );

export const localTimeIn = (timeZone: string, moment: string): string =>
  timeFormat(timeZone).format(new Date(moment)).replace(' ', 'T');

export const addDays = (day: string, count: number): string =>
  PlainDate.toString(PlainDate.addDays(dayCalled(day), count));

/** The same day of a later month, or its last one. */
export const addMonths = (day: string, count: number): string =>
  PlainDate.toString(PlainDate.addMonths(dayCalled(day), count));

export interface Period {
  readonly first: string;
  readonly last: string;
}

export const lastDaysIn = (timeZone: string, count: number, now: Date): Period => {
  const last = dayIn(timeZone, now);
  return { first: addDays(last, 1 - count), last };
};

export const dayCountOf = ({ first, last }: Period): number =>
  PlainDate.diffDays(dayCalled(first), dayCalled(last)) + 1;

/** As many days, which end where the period begins. */
export const periodBefore = (period: Period): Period => ({
  first: addDays(period.first, -dayCountOf(period)),
  last: addDays(period.first, -1),
});

/** From Monday to Sunday, before the week of the moment. */
export const weekBefore = (timeZone: string, now: Date): Period => {
  const today = dayIn(timeZone, now);
  const daysSinceMonday = (new Date(today).getUTCDay() + 6) % 7;
  const monday = addDays(today, -daysSinceMonday);
  return { first: addDays(monday, -7), last: addDays(monday, -1) };
};

export const monthUntil = (day: string): Period => ({ first: `${day.slice(0, 8)}01`, last: day });

export const endOfMonthBefore = (day: string): string => addDays(monthUntil(day).first, -1);

/** From the first of the month before to the same day of it, or to its end. */
export const monthBeforeUntil = (day: string): Period => {
  const end = endOfMonthBefore(day);
  const same = `${end.slice(0, 8)}${day.slice(8)}`;
  return monthUntil(same < end ? same : end);
};

export const daysOf = (period: Period): string[] =>
  Array.from({ length: dayCountOf(period) }, (_, at) => addDays(period.first, at));
