import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { DeleteCommand, GetCommand, PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { documents } from './client.ts';
import { checkWrites, currentDryRun } from './dry-run.ts';
import { NoRoom, writeWithinBound } from './record-bound.ts';
import { cancellationReasonsOf, retryTransient } from './retry-transient.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

export type Write = TransactItem & {
  refusal: (item: Record<string, unknown> | undefined) => Error;
  /** For a new item that concurrent requests may want. The function needs `read` of its kind. */
  readAfterConflict?: boolean;
  /** How many more records the program has after it, of those that its plan may bound. docs/behavior.md#records-on-the-free-plan */
  counts?: 1 | -1;
};

/** For a function that may not read what it creates. */
export const withoutReads = (writes: readonly Write[]): Write[] =>
  writes.map((write) => ({ ...write, readAfterConflict: false }));

/** From `at` on, by `performance.now`, the write is not made any more. */
export interface WriteDeadline {
  at: number;
  refusal: () => Error;
}

/** After a conflict over a new item: if it exists by now, the losers of a race need not conflict with each other further. */
const refusalAfterConflict = async (writes: readonly Write[], error: unknown): Promise<Error | undefined> => {
  const reasons = cancellationReasonsOf(error);
  const write = writes.find((one, at) => one.readAfterConflict && reasons[at]?.Code === 'TransactionConflict');
  const { TableName, Item } = write?.Put ?? {};
  if (!write || !Item) return undefined;
  const Key = { pk: Item.pk, sk: Item.sk };
  const found = await documents.send(new GetCommand({ TableName, Key, ConsistentRead: true })).catch(() => undefined);
  return found?.Item && write.refusal(found.Item);
};

const writeAll = async (writes: readonly Write[], deadline: WriteDeadline | undefined): Promise<void> => {
  const TransactItems = writes.map(({ refusal: _refusal, readAfterConflict: _read, counts: _counts, ...item }) => item);
  const write = async () => {
    if (deadline && performance.now() >= deadline.at) throw deadline.refusal();
    try {
      await documents.send(new TransactWriteCommand({ TransactItems }));
    } catch (error) {
      throw (await refusalAfterConflict(writes, error)) ?? error;
    }
  };
  try {
    await retryTransient(write);
  } catch (error) {
    const reasons = cancellationReasonsOf(error);
    const failed = reasons.findIndex((reason) => reason.Code === 'ConditionalCheckFailed');
    const refused = writes[failed];
    const item = reasons[failed]?.Item;
    if (refused) throw refused.refusal(item && unmarshall(item));
    throw error;
  }
};

/** All or none. Throws the `refusal` of the first failed condition; retries conflicts and throttling until the deadline. */
export const writeTogether = (writes: readonly Write[], deadline?: WriteDeadline): Promise<void> => {
  const planned = currentDryRun();
  if (planned) return checkWrites(writes, planned);
  return writeWithinBound(
    writes.reduce((sum, { counts = 0 }) => sum + counts, 0),
    (Update) =>
      // Last, so that what is wrong with the records themselves is said first.
      writeAll(Update ? [...writes, { Update, refusal: (item) => new NoRoom(item) }] : writes, deadline),
  );
};

/** Without a transaction: concurrent updates of one item wait instead of conflicting. */
export const updateAlone = async ({ Update, refusal }: Write): Promise<void> => {
  if (!Update?.UpdateExpression) throw new Error('Only an update is made alone');
  if (currentDryRun()) return;
  const command = new UpdateCommand(Update);
  try {
    await retryTransient(() => documents.send(command));
  } catch (error) {
    throw error instanceof ConditionalCheckFailedException ? refusal(undefined) : error;
  }
};

/** Half the units of a transaction. The record comes last, so a run that died starts again; only it throws `refusal`. */
export const writeInTurn = async (writes: readonly Write[]): Promise<void> => {
  for (const [at, { refusal, Delete, Put }] of writes.entries()) {
    const command = Delete ? new DeleteCommand(Delete) : Put && new PutCommand(Put);
    if (!command) throw new Error('Only deletions and puts are made in turn');
    try {
      await retryTransient(() =>
        command instanceof DeleteCommand ? documents.send(command) : documents.send(command),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      if (at === writes.length - 1) throw refusal(undefined);
    }
  }
};
