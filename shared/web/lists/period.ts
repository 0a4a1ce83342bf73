import * as z from 'zod';
import type { shownDays, shownMonths } from '../../contract/pages/list-query.ts';
import {
  dayCountOf,
  endOfMonthBefore,
  monthBeforeUntil,
  monthUntil,
  type Period,
  periodBefore,
} from '../../platform/time/days.ts';
import { type Filled, unfilled } from '../components/controls.tsx';
import { dayOf, lastDays } from '../components/days.ts';

/** Of one view, with the days that it is compared with: about 6 read units. */
export const maxDays = 366;

interface Entered {
  from?: string | undefined;
  to?: string | undefined;
}

interface EnteredPeriod {
  period: Period;
  filled: Filled;
}

interface AskedPreset {
  days: (typeof shownDays)[number];
  month?: (typeof shownMonths)[number] | undefined;
}

export interface ShownPeriod {
  period: Period;
  /** What it is compared with; undefined if both together are too many days to read. */
  before: Period | undefined;
  /** The query by which it was chosen, such as `days=30`; undefined for entered days. */
  preset: string | undefined;
}

export interface ChosenPeriod extends EnteredPeriod, ShownPeriod {}

const isDay = (text: string): boolean => z.iso.date().safeParse(text).success;

const errorsOf = ({ first, last }: Period, most: number): Record<string, string> => {
  const wrong = Object.entries({ from: first, to: last }).filter(([, day]) => !isDay(day));
  if (wrong.length > 0) return Object.fromEntries(wrong.map(([name]) => [name, 'Enter a date such as 2026-01-31']));
  if (last < first) return { to: 'Must not be before “From”' };
  return dayCountOf({ first, last }) > most ? { from: `Choose at most ${most} days` } : {};
};

/** The days from `from` to `to`, or to today, at most `most`. If the input is invalid, `filled` has the errors. */
export const enteredPeriod = ({ from, to }: Entered, otherwise: Period, now: Date, most = maxDays): EnteredPeriod => {
  if (from === undefined && to === undefined) return { period: otherwise, filled: unfilled };
  const [first, last] = [from ?? '', to ?? dayOf(now)];
  const errors = errorsOf({ first, last }, most);
  return {
    period: Object.keys(errors).length > 0 ? otherwise : { first, last },
    filled: { values: { from: first, to: last }, errors, message: undefined },
  };
};

const comparedWith = (period: Period): Period | undefined =>
  2 * dayCountOf(period) <= maxDays ? periodBefore(period) : undefined;

/** The last days, or a month; this month is compared with the same days of the month before. */
export const shownPeriod = ({ days, month }: AskedPreset, now: Date): ShownPeriod => {
  if (month === undefined) {
    const period = lastDays(Number(days), now);
    return { period, before: comparedWith(period), preset: `days=${days}` };
  }
  const today = dayOf(now);
  const lastMonth = endOfMonthBefore(today);
  const preset = `month=${month}`;
  return month === 'this'
    ? { period: monthUntil(today), before: monthBeforeUntil(today), preset }
    : { period: monthUntil(lastMonth), before: monthUntil(endOfMonthBefore(lastMonth)), preset };
};

/** The days that an overview shows: the last 30 if the input is invalid. */
export const chosenPeriod = ({ days, month, from, to }: AskedPreset & Entered, now: Date): ChosenPeriod => {
  if (from === undefined && to === undefined) return { ...shownPeriod({ days, month }, now), filled: unfilled };
  const entered = enteredPeriod({ from, to }, lastDays(30, now), now);
  return { ...entered, before: comparedWith(entered.period), preset: undefined };
};
