import type { NextTime } from './expression.ts';

export interface Schedule {
  readonly name: string;
  readonly next: NextTime;
  readonly run: (scheduledAt: Date) => Promise<void>;
}

/** One time at which a schedule has started its target. */
interface ScheduleRun {
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

interface ClockSettings {
  readonly warn: (line: string) => void;
  readonly realTime?: () => number;
}

/** Starts each schedule's target when its time has come, by a clock that begins with the real time. */
export const startSchedules = (schedules: readonly Schedule[], settings: ClockSettings): Schedules =>
  new ScheduleClock(schedules, settings);

class ScheduleClock implements Schedules {
  readonly #schedules: readonly Schedule[];
  readonly #warn: (line: string) => void;
  readonly #realTime: () => number;
  #turned = 0;
  #seenUntil: number;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #working: Promise<unknown> = Promise.resolve();

  constructor(schedules: readonly Schedule[], { warn, realTime = Date.now }: ClockSettings) {
    this.#schedules = schedules;
    this.#warn = warn;
    this.#realTime = realTime;
    this.#seenUntil = realTime();
    this.#wait();
  }

  now(): Date {
    return new Date(this.#realTime() + this.#turned);
  }

  turnTo(time: Date): Promise<readonly ScheduleRun[]> {
    return this.#inTurn(async () => {
      const ahead = time.getTime() - this.now().getTime();
      if (!(ahead >= 0)) throw new Error(`The clock is at ${this.now().toISOString()}, and is not turned back.`);
      this.#turned += ahead;
      const runs = await this.#runUntil(time.getTime());
      this.#wait();
      return runs;
    });
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** One after the other, so that nothing starts twice. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#working.then(work);
    this.#working = result.catch(() => {});
    return result;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped || this.#schedules.length === 0) return;
    const due = this.#nextTime() ?? Number.POSITIVE_INFINITY;
    const milliseconds = Math.max(0, Math.min(longestWait, due - this.now().getTime()));
    const run = () => this.#inTurn(() => this.#runUntil(this.now().getTime()));
    this.#timer = setTimeout(() => void run().finally(() => this.#wait()), milliseconds);
    this.#timer.unref();
  }

  #timeOf({ next }: Schedule): number | undefined {
    return next(new Date(this.#seenUntil))?.getTime();
  }

  #nextTime(): number | undefined {
    const times = this.#schedules.flatMap((schedule) => this.#timeOf(schedule) ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  async #runUntil(until: number): Promise<ScheduleRun[]> {
    const runs: ScheduleRun[] = [];
    for (let due = this.#nextTime(); due !== undefined && due <= until && !this.#isStopped; due = this.#nextTime()) {
      const at = new Date(due);
      for (const schedule of this.#schedules.filter((one) => this.#timeOf(one) === due)) {
        await this.#start(schedule, at);
        runs.push({ name: schedule.name, scheduledAt: at.toISOString() });
      }
      this.#seenUntil = due;
    }
    this.#seenUntil = Math.max(this.#seenUntil, until);
    return runs;
  }

  async #start({ name, run }: Schedule, at: Date): Promise<void> {
    await run(at).catch((error: unknown) => {
      this.#warn(`The schedule ${name} could not start its target: ${error}`);
    });
  }
}
