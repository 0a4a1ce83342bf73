import { remembered } from '../../../platform/text/remembered.ts';
import { addDays, instantIn, startOfDayIn } from '../../../platform/time/days.ts';
import { Refused } from './refused.ts';

const form =
  /^(\d{4})-(\d{2})-(\d{2})(?:(?:T| +)(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?(Z|UTC|GMT|([+-])(\d{2}):?(\d{2})))?)?$/i;
const slashed = /^\d{1,4}\/\d{1,2}\/\d{1,4}(?=$|[ T])/;

const notATime = new Refused('must be a date such as 2024-01-31 or a time such as 2024-01-31T12:00:00Z');
const withSlashes = new Refused('is a date with slashes, which can mean two days; write it as 2024-01-31');
const notADay = new Refused('is not a day of the calendar');
const notAClockTime = new Refused('is not a time of the day');
const tooEarly = new Refused('must be in the year 2000 or later');
const inFuture = new Refused('is in the future');

interface TimeSettings {
  readonly timeZone: string;
}

interface ReadTime {
  readonly milliseconds: number;
  readonly day?: string;
}

const startOfDay = remembered((key) => {
  const [timeZone = '', day = ''] = key.split('\n');
  return startOfDayIn(timeZone, day);
});

const readTime = (cell: string, { timeZone }: TimeSettings): ReadTime | Refused => {
  const [
    match,
    year = '',
    month = '',
    day = '',
    hour,
    minute,
    second = '0',
    fraction = '',
    zone,
    sign,
    hours,
    minutes,
  ] = form.exec(cell) ?? [];
  if (match === undefined) return slashed.test(cell) ? withSlashes : notATime;
  if (Number(year) < 2000) return tooEarly;
  const date = `${year}-${month}-${day}`;
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day));
  // Of a day that does not exist it makes one of the next month.
  const isAMonth = Number(month) >= 1 && Number(month) <= 12;
  if (!isAMonth || new Date(midnight).getUTCDate() !== Number(day)) return notADay;
  if (hour === undefined) return { milliseconds: Date.parse(startOfDay(`${timeZone}\n${date}`)), day: date };
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return notAClockTime;
  const ofDay = (Number(hour) * 60 + Number(minute)) * 60_000 + Number(second) * 1000;
  const local = midnight + ofDay + Number(fraction.slice(0, 3).padEnd(3, '0'));
  if (zone === undefined && timeZone !== 'UTC')
    return { milliseconds: Date.parse(instantIn(timeZone, new Date(local).toISOString().slice(0, -1))) };
  if (sign === undefined) return { milliseconds: local };
  if (Number(hours) > 23 || Number(minutes) > 59) return notAClockTime;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return { milliseconds: sign === '+' ? local - offset : local + offset };
};

/** A time from 2000 to `now`; a date is its beginning, and a time without a zone is one of the program's zone. */
export const pastTimeOf = (cell: string, settings: TimeSettings & { now: Date }): Date | Refused => {
  const time = readTime(cell, settings);
  if (time instanceof Refused) return time;
  return time.milliseconds > settings.now.getTime() ? inFuture : new Date(time.milliseconds);
};

/** An ISO time of a body. A date is its end, as in the forms of the dashboard. docs/behavior.md#time-zone-of-a-program */
export const expiryOf = (cell: string, settings: TimeSettings): string | Refused => {
  const time = readTime(cell, settings);
  if (time instanceof Refused) return time;
  if (time.day === undefined) return new Date(time.milliseconds).toISOString();
  const next = startOfDay(`${settings.timeZone}\n${addDays(time.day, 1)}`);
  return new Date(Date.parse(next) - 1).toISOString();
};
