import { bounds } from '../../contract/bounds.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { updateItem } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
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

/** Ends every session of an account that began until now. An account that is gone has none. */
export const endAllSessions = async (email: string, now: Date): Promise<void> => {
  await updateItem('records', accountKey(email), {
    UpdateExpression: 'SET sessionsValidAfter = :now REMOVE endedSessions',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':now': now.getTime() },
  });
};

/** Ends all sessions if the account remembers too many. `endsAt` is in milliseconds since the epoch. */
export const endSession = (email: string, { id }: StartedSession, endsAt: number, now: Date): Promise<void> =>
  retryOnConflict(async () => {
    const { endedSessions: before } = (await getAccount(email)) ?? {};
    const remembered = (before ?? []).filter((ended) => ended.id !== id && ended.endsAt > now.getTime());
    if (remembered.length >= bounds.endedSessionsOfAccount) return endAllSessions(email, now);
    const ended = await updateItem('records', accountKey(email), {
      UpdateExpression: 'SET endedSessions = :after',
      ConditionExpression: `attribute_exists(pk) AND ${before ? 'endedSessions = :before' : 'attribute_not_exists(endedSessions)'}`,
      ExpressionAttributeValues: { ':after': [...remembered, { id, endsAt }], ...(before && { ':before': before }) },
    });
    if (!ended.isWritten) throw new ConcurrentModificationError(`The sessions of ${email} changed`);
  });
