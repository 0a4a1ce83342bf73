import { BatchGetCommand, type BatchGetCommandOutput } from '@aws-sdk/lib-dynamodb';
import { documents } from './client.ts';
import { retryTransient, retryWaits } from './retry-transient.ts';

const maxKeysOfCall = 100;

type Item = Record<string, unknown>;

/** Strongly consistent. Retries unprocessed keys with backoff until the request's deadline (503). */
export const batchGet = async (table: string, keys: readonly Item[]): Promise<Item[]> => {
  const found: Item[] = [];
  for (let start = 0; start < keys.length; start += maxKeysOfCall) {
    const wait = retryWaits();
    let left: Item[] = keys.slice(start, start + maxKeysOfCall);
    for (;;) {
      const command = new BatchGetCommand({ RequestItems: { [table]: { Keys: left, ConsistentRead: true } } });
      const answer: BatchGetCommandOutput = await retryTransient(() => documents.send(command));
      found.push(...(answer.Responses?.[table] ?? []));
      left = answer.UnprocessedKeys?.[table]?.Keys ?? [];
      if (left.length === 0) break;
      await wait(new Error(`${left.length} keys of ${table} were left unprocessed`));
    }
  }
  return found;
};
