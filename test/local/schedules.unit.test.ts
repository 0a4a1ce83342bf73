import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readExpression } from '../../infra/local/schedules/expression.ts';
import { startSchedules } from '../../infra/local/schedules/schedules.ts';

const monday = new Date('2026-11-23T00:00:00Z');

const timesOf = (expression: string, count: number, timezone = 'UTC', since = monday): string[] => {
  const next = readExpression(expression, timezone, since);
  const times: string[] = [];
  for (let at = next(since); at && times.length < count; at = next(at)) times.push(at.toISOString().slice(0, 16));
  return times;
};

describe('an expression', () => {
  it.each([
    ['cron(20 3 * * ? *)', ['2026-11-23T03:20', '2026-11-24T03:20', '2026-11-25T03:20']],
    ['cron(0/20 * * * ? *)', ['2026-11-23T00:20', '2026-11-23T00:40', '2026-11-23T01:00']],
    // 1 is Sunday.
    ['cron(0 8 ? * 2 *)', ['2026-11-23T08:00', '2026-11-30T08:00', '2026-12-07T08:00']],
    ['cron(0 8 ? * SUN *)', ['2026-11-29T08:00', '2026-12-06T08:00', '2026-12-13T08:00']],
    ['cron(0 0 L * ? *)', ['2026-11-30T00:00', '2026-12-31T00:00', '2027-01-31T00:00']],
    ['cron(0 9 ? * 2#1 *)', ['2026-12-07T09:00', '2027-01-04T09:00', '2027-02-01T09:00']],
    ['cron(0 9 1 DEC ? 2026)', ['2026-12-01T09:00']],
    ['rate(1 minute)', ['2026-11-23T00:01', '2026-11-23T00:02', '2026-11-23T00:03']],
    ['rate(12 hours)', ['2026-11-23T12:00', '2026-11-24T00:00', '2026-11-24T12:00']],
  ])('%s means the times that EventBridge takes it for', (expression, expected) => {
    expect(timesOf(expression, 3)).toEqual(expected);
  });

  it('counts in its time zone, whose days may have 23 hours', () => {
    const since = new Date('2026-03-28T00:00:00Z');
    expect(timesOf('cron(30 3 * * ? *)', 3, 'Europe/Berlin', since)).toEqual([
      '2026-03-28T02:30',
      '2026-03-29T01:30',
      '2026-03-30T01:30',
    ]);
  });

  it.each([
    'cron(20 3 * * *)',
    'cron(20 3 * * * *)',
    'cron(20 3 ? * ? *)',
    'cron(61 3 * * ? *)',
    'rate(1 hours)',
    'rate(2 hour)',
    'rate(0 minutes)',
    'rate(5 seconds)',
    'at(2026-12-01T00:00:00)',
    'daily',
  ])('%s is refused', (expression) => {
    expect(() => readExpression(expression, 'UTC', monday)).toThrow();
  });
});

describe('a clock of schedules', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: monday });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const started = (expressions: Readonly<Record<string, string>>, fails = false) => {
    const runs: string[] = [];
    const warnings: string[] = [];
    const schedules = startSchedules(
      Object.entries(expressions).map(([name, expression]) => ({
        name,
        next: readExpression(expression, 'UTC', monday),
        run: async (at) => {
          if (fails) throw new Error('no queue');
          runs.push(`${name} ${at.toISOString().slice(0, 16)}`);
        },
      })),
      { warn: (line) => warnings.push(line) },
    );
    return { runs, warnings, schedules };
  };
  const nightly = { nightly: 'cron(20 3 * * ? *)' };

  it('that is turned starts every time that was passed, once and in order', async () => {
    const { runs, schedules } = started({ ...nightly, noon: 'cron(0 12 ? * MON *)' });
    const told = await schedules.turnTo(new Date('2026-11-25T03:20:00Z'));
    expect(runs).toEqual([
      'nightly 2026-11-23T03:20',
      'noon 2026-11-23T12:00',
      'nightly 2026-11-24T03:20',
      'nightly 2026-11-25T03:20',
    ]);
    expect(told.map(({ name, scheduledAt }) => `${name} ${scheduledAt.slice(0, 16)}`)).toEqual(runs);
    expect(await schedules.turnTo(new Date('2026-11-26T03:19:59Z'))).toEqual([]);
    expect(await schedules.turnTo(new Date('2026-11-26T03:20:00Z'))).toHaveLength(1);
  });

  it('starts two schedules of the same time, both', async () => {
    const { runs, schedules } = started({ ...nightly, other: 'cron(20 3 * * ? *)' });
    await schedules.turnTo(new Date('2026-11-23T04:00:00Z'));
    expect(runs).toEqual(['nightly 2026-11-23T03:20', 'other 2026-11-23T03:20']);
  });

  it('goes by itself, also from where it was turned to', async () => {
    const { runs, schedules } = started(nightly);
    await vi.advanceTimersByTimeAsync(3 * 3_600_000 + 19 * 60_000);
    expect(runs).toEqual([]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(runs).toEqual(['nightly 2026-11-23T03:20']);
    await schedules.turnTo(new Date('2026-11-24T03:00:00Z'));
    await vi.advanceTimersByTimeAsync(19 * 60_000);
    expect(runs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(runs).toEqual(['nightly 2026-11-23T03:20', 'nightly 2026-11-24T03:20']);
  });

  it('is not turned back', async () => {
    const { schedules } = started(nightly);
    await schedules.turnTo(new Date('2026-11-24T00:00:00Z'));
    await expect(schedules.turnTo(monday)).rejects.toThrow('is not turned back');
  });

  it('goes on after a start that failed, with a warning', async () => {
    const { warnings, schedules } = started(nightly, true);
    await schedules.turnTo(new Date('2026-11-24T04:00:00Z'));
    expect(warnings).toEqual(Array(2).fill('The schedule nightly could not start its target: Error: no queue'));
  });

  it('starts nothing after it was stopped', async () => {
    const { runs, schedules } = started(nightly);
    schedules.stop();
    await vi.advanceTimersByTimeAsync(2 * 86_400_000);
    expect(runs).toEqual([]);
  });
});
