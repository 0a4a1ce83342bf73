import { maxConnections } from './request-handler.ts';

interface Stack {
  add: (
    middleware: <Input, Output>(next: (args: Input) => Promise<Output>) => (args: Input) => Promise<Output>,
    options: { step: 'deserialize'; priority: 'high'; name: string },
  ) => void;
}

/**
 * Calls of a client beyond its connections wait their turn here. In the client's own queue the time of a call runs while it
 * waits, so that a burst on a slow database times out, is sent again, and never ends. docs/behavior.md#a-slow-database
 */
export const waitForConnection = (stack: Stack): void => {
  let free: number = maxConnections;
  const waiting: (() => void)[] = [];
  stack.add(
    (next) => async (args) => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await next(args);
      } finally {
        const first = waiting.shift();
        if (first) first();
        else free += 1;
      }
    },
    { step: 'deserialize', priority: 'high', name: 'connections' },
  );
};
