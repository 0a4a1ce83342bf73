import { AsyncLocalStorage } from 'node:async_hooks';
import { documents } from '../../shared/platform/table/client.ts';
import { isAsking } from '../conditions/asking.ts';

interface Interruption {
  /** Writes of these names that are still to come until then, that one included. */
  writesLeft: number;
  names: RegExp;
  meanwhile: () => Promise<unknown>;
}

const interruptions = new AsyncLocalStorage<Interruption>();

documents.middlewareStack.add(
  (next, { commandName = '' }) =>
    async (args) => {
      const interruption = interruptions.getStore();
      if (interruption && !isAsking.getStore() && interruption.names.test(commandName)) {
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
 * from 1, or its first transaction), the other one commits, and it goes on. Throws if the action makes no such write, since nothing was raced then.
 */
export const interrupted = async <Result>(
  action: () => Promise<Result>,
  meanwhile: () => Promise<unknown>,
  write: number | 'transaction' = 1,
): Promise<Result> => {
  const interruption =
    write === 'transaction'
      ? { writesLeft: 1, names: /^TransactWrite/, meanwhile }
      : { writesLeft: write, names: /^(Put|Update|Delete|TransactWrite)/, meanwhile };
  return interruptions.run(interruption, action).finally(() => {
    if (interruption.writesLeft > 0) throw new Error(`The action ended before its write ${write}`);
  });
};
