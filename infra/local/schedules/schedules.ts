import type { NextTime } from './expression.ts';

export interface Schedule {
  readonly name: string;
  readonly next: NextTime;
  readonly run: (scheduledAt: Date) => Promise<void>;
}

/** One time at which a schedule has started its target. */
export interface ScheduleRun {
  readonly name: string;
  readonly scheduledAt: string;
}

export interface Schedules {
  /** The time by their clock. */
  now(): Date;
  /**
   * Turns the clock of the schedules forward, from where it goes on. Resolves when all that was due until then has started,
   * in the order of time. Throws for a time in the past.
   */
  turnTo(time: Date): Promise<readonly ScheduleRun[]>;
  stop(): void;
}

/** Timers of Node hold 24 days at most, and count no time while a machine sleeps. */
const longestWait = 60_000;

/** Starts each schedule's target when its time has come, by a clock that begins with the real time. */
export function startSchedules(
  schedules: readonly Schedule[],
  { warn, realTime = Date.now }: { warn: (line: string) => void; realTime?: () => number },
): Schedules {
  let turned = 0;
  let seenUntil = realTime();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let working: Promise<unknown> = Promise.resolve();
  const now = (): number => realTime() + turned;

  const firstDue = (until: number) =>
    schedules
      .flatMap((schedule) => {
        const at = schedule.next(new Date(seenUntil));
        return at && at.getTime() <= until ? [{ schedule, at }] : [];
      })
      .toSorted((one, other) => one.at.getTime() - other.at.getTime())[0]?.at;

  const start = async ({ name, run }: Schedule, at: Date): Promise<void> => {
    await run(at).catch((error: unknown) => warn(`The schedule ${name} could not start its target: ${error}`));
  };

  const runUntil = async (until: number): Promise<ScheduleRun[]> => {
    const runs: ScheduleRun[] = [];
    for (let due = firstDue(until); due && !isStopped; due = firstDue(until)) {
      for (const schedule of schedules)
        if (schedule.next(new Date(seenUntil))?.getTime() === due.getTime()) {
          await start(schedule, due);
          runs.push({ name: schedule.name, scheduledAt: due.toISOString() });
        }
      seenUntil = due.getTime();
    }
    seenUntil = Math.max(seenUntil, until);
    return runs;
  };

  /** One after the other, so that nothing starts twice. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = working.then(work);
    working = result.catch(() => {});
    return result;
  };

  const wait = (): void => {
    clearTimeout(timer);
    if (isStopped || schedules.length === 0) return;
    const due = firstDue(Number.POSITIVE_INFINITY)?.getTime() ?? Number.POSITIVE_INFINITY;
    const milliseconds = Math.max(0, Math.min(longestWait, due - now()));
    timer = setTimeout(() => void inTurn(() => runUntil(now())).finally(wait), milliseconds);
    timer.unref();
  };
  wait();

  return {
    now: () => new Date(now()),
    turnTo: (time) =>
      inTurn(async () => {
        const ahead = time.getTime() - now();
        if (!(ahead >= 0)) throw new Error(`The clock is at ${new Date(now()).toISOString()}, and is not turned back.`);
        turned += ahead;
        const runs = await runUntil(time.getTime());
        wait();
        return runs;
      }),
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
