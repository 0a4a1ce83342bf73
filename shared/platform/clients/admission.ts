import { AsyncLocalStorage } from 'node:async_hooks';

const admissions = new AsyncLocalStorage<Promise<unknown>>();

/** Runs an action whose reads begin at once. Every other call waits for the admission, and fails if it is refused. */
export const runAhead = <Result>(admission: Promise<unknown>, action: () => Promise<Result>): Promise<Result> => {
  // The caller handles a refusal; a run that writes nothing does not wait for it.
  admission.catch(() => {});
  return admissions.run(admission, action);
};

/** Resolves when the request may write; throws if it is refused. */
export const admitted = async (): Promise<void> => {
  await admissions.getStore();
};

interface Stack {
  add: (
    middleware: <Input, Output>(
      next: (args: Input) => Promise<Output>,
      context: { commandName?: string },
    ) => (args: Input) => Promise<Output>,
    options: { step: 'initialize'; name: string },
  ) => void;
}

/** The gate of a client, which only its reads pass before the admission. */
export const holdBackUntilAdmitted = (stack: Stack, isRead: (command: string) => boolean): void =>
  stack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (!isRead(commandName)) await admitted();
        return next(args);
      },
    { step: 'initialize', name: 'admission' },
  );
