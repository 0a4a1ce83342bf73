/** Who goes first to what does one thing after the other. */
export interface Turns {
  /** For a call that lets others go first. Resolves when it may go on, to what ends it. */
  begin(): Promise<() => void>;
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

export function createTurns({ count, pauseMilliseconds, patienceMilliseconds }: TurnSettings): Turns {
  const inLine: { readonly goOn: () => void; readonly since: number }[] = [];
  let [running, runningFirst, pausedUntil] = [0, 0, 0];
  let timer: NodeJS.Timeout | undefined;

  /** How long the one who has waited longest still lets others go first. */
  const waitOf = (since: number): number => {
    const now = performance.now();
    const patience = since + patienceMilliseconds - now;
    return runningFirst > 0 ? patience : Math.min(patience, pausedUntil - now);
  };
  const proceed = (): void => {
    clearTimeout(timer);
    for (let [next] = inLine; next && running < count; [next] = inLine) {
      const wait = waitOf(next.since);
      if (wait > 0) {
        timer = setTimeout(proceed, Math.ceil(wait));
        return;
      }
      inLine.shift();
      running += 1;
      next.goOn();
    }
  };
  return {
    begin: async () => {
      await new Promise<void>((goOn) => {
        inLine.push({ goOn, since: performance.now() });
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
