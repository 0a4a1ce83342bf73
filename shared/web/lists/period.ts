import * as z from 'zod';
import type { overviewPeriods } from '../../contract/pages/programs.ts';
import { dayCountOf, type Period } from '../../platform/time/days.ts';
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
  /** The form for any period. */
  filled: Filled;
}

interface Asked extends Entered {
  days: (typeof overviewPeriods)[number];
}

export interface ChosenPeriod extends EnteredPeriod {
  /** The number of days that end today, if one of them was chosen. */
  preset: Asked['days'] | undefined;
}

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

/** The days that an overview shows: the last 30 if the input is invalid. */
export const chosenPeriod = ({ days, from, to }: Asked, now: Date): ChosenPeriod => {
  const isPreset = from === undefined && to === undefined;
  const lastOnes = lastDays(Number(isPreset ? days : 30), now);
  return { ...enteredPeriod({ from, to }, lastOnes, now), preset: isPreset ? days : undefined };
};
