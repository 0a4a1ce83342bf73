import { fieldError } from '../../contract/errors.ts';
import {
  addDays,
  dayIn,
  instantIn,
  lastDaysIn,
  localTimeIn,
  type Period,
  startOfDayIn,
} from '../../platform/time/days.ts';
import { currentFormats } from './formats.ts';

/** Days and times as the people of a program count them: in its time zone. docs/behavior.md#time-zone-of-a-program */

export const dayOf = (moment: string | Date): string => dayIn(currentFormats().timeZone, moment);

export const nextDay = (day: string): string => addDays(day, 1);

export const startOfDay = (day: string): string => startOfDayIn(currentFormats().timeZone, day);

export const endOfDay = (day: string): string => new Date(Date.parse(startOfDay(nextDay(day))) - 1).toISOString();

export const lastDays = (count: number, now: Date): Period => lastDaysIn(currentFormats().timeZone, count, now);

/** The moment of a time that a browser's control gives, such as 2026-01-31T12:00. */
export const enteredInstant = (localTime: string): string => instantIn(currentFormats().timeZone, localTime);

export const localTimeOf = (moment: string): string => localTimeIn(currentFormats().timeZone, moment);

/** An expiry that a form sets to the end of a day: 400 for a day that is over. */
export const expiryOf = (name: string, day: string | null | undefined, now: Date) => {
  if (day == null) return day;
  if (day < dayOf(now)) throw fieldError(name, `${name} is in the past; choose today or a later day`);
  return endOfDay(day);
};
