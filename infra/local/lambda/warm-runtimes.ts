/** A started runtime, as far as it concerns how many are kept. */
export interface KeptRuntime {
  /** True while it has something to do. */
  isBusy(): boolean;
  /** Ends it; the next invocation of its function starts another. */
  end(): void;
}

export interface WarmRuntimes {
  /** Notes that a runtime is in use, and ends the ones that were used the longest time ago if they are too many. */
  use(runtime: KeptRuntime): void;
  forget(runtime: KeptRuntime): void;
}

/**
 * Keeps at most so many functions loaded, as Lambda does not keep idle ones for ever either: each takes about 20 MB.
 * Busy ones are never ended, so there may be more for a while.
 */
export function keepWarm(most: number): WarmRuntimes {
  // In the order of their last use, as sets remember insertion.
  const runtimes = new Set<KeptRuntime>();
  return {
    use: (runtime) => {
      runtimes.delete(runtime);
      runtimes.add(runtime);
      for (const oldest of runtimes) {
        if (runtimes.size <= most) return;
        if (oldest === runtime || oldest.isBusy()) continue;
        runtimes.delete(oldest);
        oldest.end();
      }
    },
    forget: (runtime) => runtimes.delete(runtime),
  };
}
