import { setTimeout as sleep } from 'node:timers/promises';

/** Lets the invocations of background functions wait while somebody waits for a response. */
export interface RequestsFirst {
  /** For an invocation of a background function: resolves when no request is under way, or after a moment. */
  untilQuiet(): Promise<void>;
  /** For an invocation that responds to a request. Returns what ends it. */
  begin(): () => void;
}

/** Few requests take longer. */
const patienceMilliseconds = 50;

/** @param onRequest called before the function gets a request */
export const createRequestsFirst = (onRequest: () => void): RequestsFirst => {
  let running = 0;
  let quiet = Promise.withResolvers<void>();
  return {
    untilQuiet: async () => {
      if (running > 0) await Promise.race([quiet.promise, sleep(patienceMilliseconds)]);
    },
    begin: () => {
      running += 1;
      onRequest();
      return () => {
        running -= 1;
        if (running > 0) return;
        quiet.resolve();
        quiet = Promise.withResolvers();
      };
    },
  };
};
