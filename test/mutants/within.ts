// Kept, because tests may replace them with fake timers.
const { setTimeout, clearTimeout } = globalThis;

export class TimedOut extends Error {}

/** Rejects with `TimedOut` if the action takes longer; it goes on even so. */
export const within = async (milliseconds: number, action: () => Promise<void>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut()), milliseconds);
  });
  try {
    await Promise.race([action(), limit]);
  } finally {
    clearTimeout(timer);
  }
};

/** Waits until a test that timed out has ended, for 5 seconds at most: otherwise it and its spies disturb the next tests. */
export const ended = async (running: Promise<void>): Promise<void> => {
  await within(5000, () => running).catch(() => undefined);
};
