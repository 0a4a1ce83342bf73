import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, vi } from 'vitest';

/** Watches the tests of a file for rejections that nobody handles, which end a function. */
export const watchRejections = () => {
  const unhandled = vi.fn();
  beforeEach(() => {
    unhandled.mockReset();
    process.on('unhandledRejection', unhandled);
  });
  afterEach(() => {
    process.off('unhandledRejection', unhandled);
  });
  return {
    /** Node reports them after the microtasks of a turn. */
    expectNone: async (): Promise<void> => {
      await turn();
      await turn();
      expect(unhandled).not.toHaveBeenCalled();
    },
  };
};
