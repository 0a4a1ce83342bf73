import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { bounds } from '../../contract/bounds.ts';
import { deployedName, documents } from '../../platform/table/client.ts';
import { RecordChanged, whileChanging } from '../../platform/table/record-store.ts';
import { retryTransient } from '../../platform/table/retry-transient.ts';
import { type Account, accountKey, getAccount } from './accounts.ts';

/** Ended sessions are on the account, which every page reads anyway. */

/** A session's id and its start in milliseconds since the epoch. */
interface StartedSession {
  readonly id: string;
  readonly startedAt: number;
}

export const isSessionEnded = (
  { sessionsValidAfter = 0, endedSessions = [] }: Account,
  { id, startedAt }: StartedSession,
): boolean => startedAt <= sessionsValidAfter || endedSessions.some((ended) => ended.id === id);

const isConditionFailure = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ConditionalCheckFailedException';

export const endAllSessions = async (email: string, now: Date): Promise<void> => {
  const ending = new UpdateCommand({
    TableName: deployedName('records'),
    Key: accountKey(email),
    UpdateExpression: 'SET sessionsValidAfter = :now REMOVE endedSessions',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':now': now.getTime() },
  });
  await retryTransient(() => documents.send(ending)).catch((error: unknown) => {
    if (!isConditionFailure(error)) throw error;
  });
};

/** Ends all sessions if the account remembers too many. `endsAt` is in milliseconds since the epoch. */
export const endSession = (email: string, { id }: StartedSession, endsAt: number, now: Date): Promise<void> =>
  whileChanging(async () => {
    const { endedSessions: before } = (await getAccount(email)) ?? {};
    const remembered = (before ?? []).filter((ended) => ended.id !== id && ended.endsAt > now.getTime());
    if (remembered.length >= bounds.endedSessionsOfAccount) return endAllSessions(email, now);
    const ending = new UpdateCommand({
      TableName: deployedName('records'),
      Key: accountKey(email),
      UpdateExpression: 'SET endedSessions = :after',
      ConditionExpression: `attribute_exists(pk) AND ${before ? 'endedSessions = :before' : 'attribute_not_exists(endedSessions)'}`,
      ExpressionAttributeValues: { ':after': [...remembered, { id, endsAt }], ...(before && { ':before': before }) },
    });
    await retryTransient(() => documents.send(ending)).catch((error: unknown) => {
      throw isConditionFailure(error) ? new RecordChanged(`The sessions of ${email} changed`) : error;
    });
  });
