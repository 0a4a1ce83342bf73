/** Who goes first to what does one thing after the other. */
export interface Turns {
  /**
   * For a call that lets others go first. Resolves when it may go on, to what ends it. Of several callers each has one call in
   * turn, so that one with many calls at once does not hold up another one.
   */
  begin(caller: string): Promise<() => void>;
  /** For a call that goes first: no other begins until it has ended, and a moment longer. Returns what ends it. */
  goFirst(): () => void;
  /** A call that goes first is about to come: none begins for a moment. */
  pause(): void;
}

interface TurnSettings {
  /** How many calls that let others go first run at a time. */
  readonly count: number;
  /** How long they wait after a call that goes first, for the next call of the same request. */
  readonly pauseMilliseconds: number;
  /** The one whose turn it is lets others go first for this long. */
  readonly patienceMilliseconds: number;
}

type GoOn = () => void;

/** The calls that wait, by caller, in the order of the callers' turns. */
const openLines = () => {
  const lines = new Map<string, GoOn[]>();
  return {
    add: (caller: string, one: GoOn): void => {
      const line = lines.get(caller);
      if (line) line.push(one);
      else lines.set(caller, [one]);
    },
    next: (): GoOn | undefined => lines.values().next().value?.[0],
    /** Takes the next one, whose caller then comes after all others. */
    take: (): void => {
      const [[caller, [, ...others]] = ['', []]] = lines;
      lines.delete(caller);
      if (others.length > 0) lines.set(caller, others);
    },
  };
};

export function createTurns({ count, pauseMilliseconds, patienceMilliseconds }: TurnSettings): Turns {
  const lines = openLines();
  let [running, runningFirst, pausedUntil] = [0, 0, 0];
  let timer: NodeJS.Timeout | undefined;
  /** Since when it is the turn of the one that is next. */
  let since: number | undefined;

  /** How long the one whose turn it is still lets others go first. */
  const waitOf = (): number => {
    const now = performance.now();
    since ??= now;
    const patience = since + patienceMilliseconds - now;
    return runningFirst > 0 ? patience : Math.min(patience, pausedUntil - now);
  };
  const proceed = (): void => {
    clearTimeout(timer);
    for (let goOn = lines.next(); goOn && running < count; goOn = lines.next()) {
      const wait = waitOf();
      if (wait > 0) {
        timer = setTimeout(proceed, Math.ceil(wait));
        return;
      }
      lines.take();
      since = undefined;
      running += 1;
      goOn();
    }
  };
  const pause = () => {
    pausedUntil = performance.now() + pauseMilliseconds;
    proceed();
  };
  return {
    pause,
    begin: async (caller) => {
      await new Promise<void>((goOn) => {
        lines.add(caller, goOn);
        proceed();
      });
      return () => {
        running -= 1;
        proceed();
      };
    },
    goFirst: () => {
      runningFirst += 1;
      return () => {
        runningFirst -= 1;
        pause();
      };
    },
  };
}
