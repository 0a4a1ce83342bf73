/** Who goes first to what does one thing after the other. */
export interface Turns {
  /**
   * For a call that lets others go first. Resolves when it may go on, to what ends it. Of several callers each has one call in
   * turn, so that one with many calls at once does not hold up another one.
   */
  begin(caller: string): Promise<() => void>;
  /** For a call that goes first: no other begins until it has ended, and a moment longer. Returns what ends it. */
  goFirst(): () => void;
}

interface TurnSettings {
  /** How many calls that let others go first run at a time. */
  readonly count: number;
  /** How long they wait after a call that goes first, for the next call of the same request. */
  readonly pauseMilliseconds: number;
  /** After this they wait for nobody but each other. */
  readonly patienceMilliseconds: number;
}

interface Waiting {
  readonly goOn: () => void;
  readonly since: number;
}

/** The calls that wait, by caller, in the order of the callers' turns. */
const openLines = () => {
  const lines = new Map<string, Waiting[]>();
  return {
    add: (caller: string, one: Waiting): void => {
      const line = lines.get(caller);
      if (line) line.push(one);
      else lines.set(caller, [one]);
    },
    next: (): Waiting | undefined => lines.values().next().value?.[0],
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

  /** How long the one whose turn it is still lets others go first. */
  const waitOf = (since: number): number => {
    const now = performance.now();
    const patience = since + patienceMilliseconds - now;
    return runningFirst > 0 ? patience : Math.min(patience, pausedUntil - now);
  };
  const proceed = (): void => {
    clearTimeout(timer);
    for (let next = lines.next(); next && running < count; next = lines.next()) {
      const wait = waitOf(next.since);
      if (wait > 0) {
        timer = setTimeout(proceed, Math.ceil(wait));
        return;
      }
      lines.take();
      running += 1;
      next.goOn();
    }
  };
  return {
    begin: async (caller) => {
      await new Promise<void>((goOn) => {
        lines.add(caller, { goOn, since: performance.now() });
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
        pausedUntil = performance.now() + pauseMilliseconds;
        proceed();
      };
    },
  };
}
