import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { DeleteCommand, PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { documents } from './client.ts';
import { cancellationReasonsOf, retryTransient } from './retry-transient.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

export type Write = TransactItem & { refusal: (item: Record<string, unknown> | undefined) => Error };

/** All or none. Throws the `refusal` of the first failed condition; retries conflicts and throttling. */
export const writeTogether = async (writes: readonly Write[]): Promise<void> => {
  const TransactItems = writes.map(({ refusal: _refusal, ...item }) => item);
  try {
    await retryTransient(() => documents.send(new TransactWriteCommand({ TransactItems })));
  } catch (error) {
    const reasons = cancellationReasonsOf(error);
    const failed = reasons.findIndex((reason) => reason.Code === 'ConditionalCheckFailed');
    const write = writes[failed];
    if (write) throw write.refusal(reasons[failed]?.Item);
    throw error;
  }
};

/** Without a transaction: concurrent updates of one item wait instead of conflicting. */
export const updateAlone = async ({ Update, refusal }: Write): Promise<void> => {
  if (!Update?.UpdateExpression) throw new Error('Only an update is made alone');
  const command = new UpdateCommand(Update);
  try {
    await retryTransient(() => documents.send(command));
  } catch (error) {
    throw error instanceof ConditionalCheckFailedException ? refusal(undefined) : error;
  }
};

/**
 * Half the units of a transaction. The record comes last, so a run that died starts again; only it throws `refusal`.
 */
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
