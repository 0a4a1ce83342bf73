import { fieldError } from '../../contract/errors.ts';
import { currentFormats, remembered } from './formats.ts';

/** Days as the people of a program count them: in its time zone. docs/behavior.md#time-zone-of-a-program */

const minute = 60_000;
const maxOffsetMinutes = 24 * 60;
const dayMilliseconds = 24 * 60 * minute;

// The locale whose dates are written as 2026-01-31.
const dayFormat = remembered((timeZone) => new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone }));

/** The day of a moment, such as 2026-01-31. */
export const dayOf = (moment: string | Date): string => dayFormat(currentFormats().timeZone).format(new Date(moment));

export const nextDay = (day: string): string => new Date(Date.parse(day) + dayMilliseconds).toISOString().slice(0, 10);

/** The first moment of a day, found by halving: an hour that the clock skips or repeats needs no rule of its own. */
export const startOfDay = (day: string): string => {
  const utc = Date.parse(day);
  let [before, from] = [-maxOffsetMinutes, maxOffsetMinutes];
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    if (dayOf(new Date(utc + middle * minute)) < day) before = middle;
    else from = middle;
  }
  return new Date(utc + from * minute).toISOString();
};

/** The last millisecond of a day. */
export const endOfDay = (day: string): string => new Date(Date.parse(startOfDay(nextDay(day))) - 1).toISOString();

/** An expiry that a form sets to the end of a day: 400 for a day that is over. */
export const expiryOf = (name: string, day: string | null | undefined, now: Date) => {
  if (day == null) return day;
  if (day < dayOf(now)) throw fieldError(name, `${name} is in the past; choose today or a later day`);
  return endOfDay(day);
};
