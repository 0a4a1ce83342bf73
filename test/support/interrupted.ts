import { AsyncLocalStorage } from 'node:async_hooks';
import { documents } from '../../shared/platform/table/client.ts';

interface Interruption {
  /** Writes that are still to come until then, that one included. */
  writesLeft: number;
  meanwhile: () => Promise<unknown>;
}

const interruptions = new AsyncLocalStorage<Interruption>();

documents.middlewareStack.add(
  (next, { commandName = '' }) =>
    async (args) => {
      const interruption = interruptions.getStore();
      if (interruption && /^(Put|Update|Delete|TransactWrite)/.test(commandName)) {
        interruption.writesLeft -= 1;
        if (interruption.writesLeft === 0) await interruptions.exit(interruption.meanwhile);
      }
      return next(args);
    },
  // Test files share the client, and whatever else is loaded twice.
  { step: 'initialize', name: 'interruptWrites', override: true },
);

/**
 * Runs an action that another one overtakes: it stops between its reads and its first write (or the one with that number,
 * from 1), the other one commits, and it goes on. Throws if the action makes no such write, since nothing was raced then.
 */
export const interrupted = async <Result>(
  action: () => Promise<Result>,
  meanwhile: () => Promise<unknown>,
  write = 1,
): Promise<Result> => {
  const interruption = { writesLeft: write, meanwhile };
  return interruptions.run(interruption, action).finally(() => {
    if (interruption.writesLeft > 0) throw new Error(`The action ended before its write ${write}`);
  });
};
