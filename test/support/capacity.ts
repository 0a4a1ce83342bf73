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
      const answer = await send(command);
      const consumed = 'ConsumedCapacity' in answer ? answer.ConsumedCapacity : undefined;
      if (!consumed || !('CapacityUnits' in consumed)) throw new Error('The table reports no capacity');
      units[command instanceof GetCommand ? 'reads' : 'writes'] += consumed.CapacityUnits ?? 0;
      return answer;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) units.writes += 1;
      throw error;
    }
  };
  vi.spyOn(documents, 'send').mockImplementation(counting as typeof documents.send);
  return units;
};
