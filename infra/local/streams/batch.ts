import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod';

export interface BatchSettings {
  readonly invoke: (records: readonly DynamoDBRecord[]) => Promise<unknown>;
  /** How often a failed part is tried again; -1 is for ever. */
  readonly maximumRetryAttempts: number;
  readonly bisectOnError: boolean;
  readonly reportsItemFailures: boolean;
  /** Called after each part that needs no further attempt, with the sequence number of its last record. */
  readonly onDone: (sequenceNumber: string) => void | Promise<void>;
  /** Takes the part that is given up; it counts as done afterwards. */
  readonly onGivenUp: (records: readonly DynamoDBRecord[], attempts: number) => Promise<void>;
  readonly firstWaitMilliseconds?: number;
  readonly signal: AbortSignal;
}

interface Part {
  readonly records: readonly DynamoDBRecord[];
  readonly attempts: number;
}

const longestWaitMilliseconds = 10_000;

/**
 * Hands records to a function in order until each was processed or given up, as a Lambda event source mapping does:
 * from the first reported failure on they come again, a part that fails as a whole is halved if the mapping says so.
 * Ends early, with the rest not done, when `signal` aborts.
 */
export async function processBatch(records: readonly DynamoDBRecord[], settings: BatchSettings): Promise<void> {
  const parts: Part[] = [{ records, attempts: 0 }];
  for (let part = parts.shift(); part !== undefined && !settings.signal.aborted; part = parts.shift()) {
    const firstFailure = await firstFailedIndex(part.records, settings);
    if (settings.signal.aborted && firstFailure !== undefined) return;
    const done = part.records.slice(0, firstFailure);
    const lastDone = done.at(-1);
    if (lastDone) await settings.onDone(sequenceNumberOf(lastDone));
    if (firstFailure === undefined) continue;
    const rest = part.records.slice(firstFailure);
    // Progress starts the count afresh: another record is the first to fail now.
    const attempts = done.length > 0 ? 1 : part.attempts + 1;
    if (settings.bisectOnError && rest.length > 1) {
      // A split uses up none of the attempts, so that at last the one bad record is alone.
      const middle = Math.ceil(rest.length / 2);
      parts.unshift(
        { records: rest.slice(0, middle), attempts: attempts - 1 },
        { records: rest.slice(middle), attempts: attempts - 1 },
      );
    } else if (settings.maximumRetryAttempts >= 0 && attempts > settings.maximumRetryAttempts) {
      await settings.onGivenUp(rest, attempts);
      const last = rest.at(-1);
      if (last) await settings.onDone(sequenceNumberOf(last));
      continue;
    } else parts.unshift({ records: rest, attempts });
    await pause(attempts, settings);
  }
}

const batchResponse = z.object({
  batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })).nullish(),
});

/** Where the failures begin; undefined when all went well. A response out of shape is a failure of everything. */
async function firstFailedIndex(
  records: readonly DynamoDBRecord[],
  settings: BatchSettings,
): Promise<number | undefined> {
  let result: unknown;
  try {
    result = await settings.invoke(records);
  } catch {
    return 0;
  }
  if (!settings.reportsItemFailures || result === null) return undefined;
  const response = batchResponse.safeParse(result);
  if (!response.success) return 0;
  const failed = response.data.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier) ?? [];
  if (failed.length === 0) return undefined;
  const indexes = failed.map((id) => records.findIndex((record) => sequenceNumberOf(record) === id));
  return Math.max(0, Math.min(...indexes));
}

async function pause(attempts: number, settings: BatchSettings): Promise<void> {
  const wait = (settings.firstWaitMilliseconds ?? 200) * 2 ** Math.min(attempts - 1, 10);
  await sleep(Math.min(wait, longestWaitMilliseconds), undefined, { signal: settings.signal }).catch(() => {});
}

const sequenceNumberOf = (record: DynamoDBRecord): string => record.dynamodb?.SequenceNumber ?? '';
