import { Cron } from 'croner';

/** The first time after a moment at which something is scheduled; undefined where there is none any more. */
export type NextTime = (after: Date) => Date | undefined;

const rateForm = /^rate\(([1-9]\d*) (minute|hour|day)(s?)\)$/;
const cronForm = /^cron\((\S+ \S+) (\S+) (\S+) (\S+) (\S+)\)$/;
const milliseconds = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

const nextOfRate = (period: number, since: Date): NextTime => {
  return (after) => {
    const passed = Math.max(0, Math.floor((after.getTime() - since.getTime()) / period));
    return new Date(since.getTime() + (passed + 1) * period);
  };
};

/**
 * Reads `rate(…)` or `cron(…)` as EventBridge writes them. Throws where EventBridge would refuse it.
 *
 * @param since what a rate counts from
 */
export function readExpression(expression: string, timezone: string, since: Date): NextTime {
  const [, count, unit, plural] = rateForm.exec(expression) ?? [];
  if (count !== undefined && (count === '1') === (plural === '')) {
    const period = Number(count) * milliseconds[unit as keyof typeof milliseconds];
    return nextOfRate(period, since);
  }
  const [, hourly, day, month, weekday, year] = cronForm.exec(expression) ?? [];
  // EventBridge wants a question mark in one of the two.
  if (hourly === undefined || (day === '?') === (weekday === '?')) throw new Error(`${expression} is not a schedule.`);
  const pattern = `0 ${hourly} ${day} ${month} ${weekday} ${year}`;
  // 1 is Sunday, and 0/15 is every 15 minutes.
  const cron = new Cron(pattern, { timezone, alternativeWeekdays: true, sloppyRanges: true, paused: true });
  return (after) => cron.nextRun(after) ?? undefined;
}
