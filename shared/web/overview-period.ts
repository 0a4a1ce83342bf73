import type { overviewPeriods } from '../contract/pages/programs.ts';
import { dayCountOf, lastDays, type Period } from '../domain/sales/sales-by-day.ts';
import { type Filled, unfilled } from './controls.tsx';

/** Of one view, those to compare with included: about 6 read units. */
export const maxDays = 366;

interface Asked {
  days: (typeof overviewPeriods)[number];
  from?: string | undefined;
  to?: string | undefined;
}

export interface ChosenPeriod {
  period: Period;
  /** Of the form for a period of its own. */
  filled: Filled;
  /** The number of days that end today, if one of them was chosen. */
  preset: Asked['days'] | undefined;
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

const errorsOf = (first: string, last: string): Record<string, string> => {
  const wrong = Object.entries({ from: first, to: last }).filter(([, day]) => !isDay(day));
  if (wrong.length > 0) return Object.fromEntries(wrong.map(([name]) => [name, 'Must be a day such as 2026-01-31']));
  if (last < first) return { to: 'Must not be before “From”' };
  return dayCountOf({ first, last }) > maxDays ? { from: `Choose at most ${maxDays} days` } : {};
};

/** The days that an overview shows. If what was entered is no period, the form shows why, above the last 30 days. */
export const chosenPeriod = ({ days, from, to }: Asked, now: Date): ChosenPeriod => {
  if (from === undefined && to === undefined)
    return { period: lastDays(Number(days), now), filled: unfilled, preset: days };
  const [first, last] = [from ?? '', to ?? lastDays(1, now).last];
  const [values, errors] = [{ from: first, to: last }, errorsOf(first, last)];
  const isRefused = Object.keys(errors).length > 0;
  return {
    period: isRefused ? lastDays(30, now) : { first, last },
    filled: { values, errors, message: undefined },
    preset: undefined,
  };
};
