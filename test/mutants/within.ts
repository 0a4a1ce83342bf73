// Tests may put others in their place.
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

/** Of a test that took too long: it would go on behind those that come next, and its spies with it. Without its mutant it may end. */
export const ended = async (running: Promise<void>): Promise<void> => {
  await within(5000, () => running).catch(() => undefined);
};
