import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { vi } from 'vitest';
import { documents } from '../../shared/platform/table/client.ts';

/** What updates and reads of single items consumed since this was called; a failed condition consumes one write unit. */
export const countUnits = () => {
  const units = { writes: 0, reads: 0, calls: 0 };
  const send = documents.send.bind(documents);
  const counting = async (command: Parameters<typeof send>[0]) => {
    units.calls += 1;
    if (command instanceof UpdateCommand || command instanceof GetCommand)
      command.input.ReturnConsumedCapacity = 'TOTAL';
    try {
      const response = await send(command);
      const consumed = 'ConsumedCapacity' in response ? response.ConsumedCapacity : undefined;
      if (!consumed || !('CapacityUnits' in consumed)) throw new Error('The table reports no capacity');
      units[command instanceof GetCommand ? 'reads' : 'writes'] += consumed.CapacityUnits ?? 0;
      return response;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) units.writes += 1;
      throw error;
    }
  };
  vi.spyOn(documents, 'send').mockImplementation(counting as typeof documents.send);
  return units;
};

/** What calls of the table cost. */
export interface Cost {
  calls: number;
  readUnits: number;
  writeUnits: number;
}

/** Does something in this process, and returns what its calls of the tables cost as these report it. */
export const costOf = async (act: () => Promise<unknown>): Promise<Cost> => {
  const cost: Cost = { calls: 0, readUnits: 0, writeUnits: 0 };
  const name = 'costOf';
  documents.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' });
        cost.calls += 1;
        const response = await next(args).catch((error: unknown) => {
          // A condition that does not hold is billed as well.
          if (error instanceof ConditionalCheckFailedException) cost.writeUnits += 1;
          throw error;
        });
        const { ConsumedCapacity } = response.output as { ConsumedCapacity?: unknown };
        for (const consumed of [ConsumedCapacity ?? []].flat()) {
          const { CapacityUnits } = consumed as { CapacityUnits: number };
          cost[/Get|Query/.test(String(commandName)) ? 'readUnits' : 'writeUnits'] += CapacityUnits;
        }
        return response;
      },
    { step: 'initialize', name },
  );
  try {
    await act();
  } finally {
    documents.middlewareStack.remove(name);
  }
  return cost;
};
