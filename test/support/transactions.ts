import { vi } from 'vitest';
import { documents } from '../../shared/platform/table/client.ts';

/** Runs an action and returns how many writes each of its transactions has. */
export const transactionSizesOf = async (action: () => Promise<void>): Promise<number[]> => {
  const send = vi.spyOn(documents, 'send');
  await action();
  const sizes = send.mock.calls.flatMap(([{ input }]) =>
    'TransactItems' in input ? [input.TransactItems?.length ?? 0] : [],
  );
  send.mockRestore();
  return sizes;
};
