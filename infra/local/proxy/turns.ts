/** Lets so many at a time go on, in the order in which they came. */
export interface Turns {
  /** Resolves when it is the caller's turn, to what ends it. */
  begin(): Promise<() => void>;
}

export function createTurns(count: number): Turns {
  const inLine: (() => void)[] = [];
  let running = 0;
  const end = () => {
    const next = inLine.shift();
    if (next) next();
    else running -= 1;
  };
  return {
    begin: async () => {
      if (running < count) running += 1;
      else await new Promise<void>((resolve) => inLine.push(resolve));
      return end;
    },
  };
}
