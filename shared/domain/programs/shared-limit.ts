import { bounds } from '../../contract/bounds.ts';
import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { type ItemKey, updateItem } from '../../platform/table/items.ts';
import { StoredCounts } from '../access/count-request.ts';
import { type DeletedLimit, limitMilliseconds, usedDeletedLimits } from '../access/deleted-limits.ts';
import { type Counts, forgottenAtSeconds, minutesAt } from '../access/rate-limit.ts';
import { type AccessToken, sharedLimitKey, tokenKey } from '../access/token.ts';
import { allApiKeys, type StoredApiKey } from './repository.ts';

/** A program's keys never use more than the whole limits of three. docs/behavior.md#rate-limits */

export interface LimitUsers {
  keys: readonly StoredApiKey[];
  deleted: readonly DeletedLimit[];
}

export const limitUsersOf = async (programId: string, now: Date): Promise<LimitUsers> => {
  // In this order: a key that is deleted meanwhile is counted twice rather than not at all.
  const keys = await allApiKeys(programId);
  return { keys, deleted: await usedDeletedLimits(programId, now) };
};

export type Sharing = Pick<AccessToken, 'sharesLimit' | 'sharesUntil'>;

/** Deleted keys count until what they used has expired. */
export const sharingOf = (keyCount: number, deletedCount: number, now: Date): Sharing => {
  if (keyCount > bounds.keysWithWholeRateLimit) return { sharesLimit: true };
  if (keyCount + deletedCount <= bounds.keysWithWholeRateLimit) return { sharesLimit: false };
  return { sharesLimit: true, sharesUntil: now.getTime() + limitMilliseconds };
};

const clockSkewMilliseconds = 10_000;
const countersOfCall = 40;
const maxConcurrency = 10;

const listed = (names: readonly string[], prefix: string): Record<string, string> =>
  Object.fromEntries(names.map((name, at) => [`#${prefix}${at}`, name]));

/** Twice if two add the same at once: that is stricter, for two minutes. */
const addToShared = async (programId: string, counts: Counts, now: Date): Promise<void> => {
  const key = sharedLimitKey(programId);
  const { previous, current, next } = minutesAt(now);
  const minutes = [previous, current, next];
  const counters = minutes.flatMap((minute, at) =>
    Object.entries(counts[minute] ?? {}).map(([name, count]) => ({ minute: `#m${at}`, name, count })),
  );
  if (counters.length === 0) return;
  const names = { '#counts': 'counts', ...listed(minutes, 'm') };
  await updateItem('traffic', key, {
    UpdateExpression: 'SET #counts = if_not_exists(#counts, :empty), #ttl = :ttl',
    ExpressionAttributeNames: { '#counts': 'counts', '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':empty': {}, ':ttl': forgottenAtSeconds(now) },
  });
  await updateItem('traffic', key, {
    UpdateExpression: `SET ${minutes.map((_, at) => `#counts.#m${at} = if_not_exists(#counts.#m${at}, :empty)`).join(', ')}`,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ':empty': {} },
  });
  for (let from = 0; from < counters.length; from += countersOfCall) {
    const part = counters.slice(from, from + countersOfCall);
    const used = part.map(({ minute }) => minute);
    const sets = part.map(({ minute }, at) => {
      const path = `#counts.${minute}.#c${at}`;
      return `${path} = if_not_exists(${path}, :zero) + :n${at}`;
    });
    await updateItem('traffic', key, {
      UpdateExpression: `SET ${sets.join(', ')}`,
      ExpressionAttributeNames: {
        ...Object.fromEntries(Object.entries(names).filter(([name]) => name === '#counts' || used.includes(name))),
        ...listed(
          part.map(({ name }) => name),
          'c',
        ),
      },
      ExpressionAttributeValues: {
        ':zero': 0,
        ...Object.fromEntries(part.map(({ count }, at) => [`:n${at}`, count])),
      },
    });
  }
};

/** What was counted before is added to the shared counters: from one moment on, each request is counted there or was added. */
const share = async (programId: string, key: ItemKey, { sharesUntil }: Sharing, now: Date): Promise<void> => {
  const names = { '#shares': 'sharesLimit', '#until': 'sharesUntil' };
  const values = { ':yes': true, ...(sharesUntil !== undefined && { ':until': sharesUntil }) };
  const until = sharesUntil === undefined ? 'REMOVE #until' : ', #until = :until';
  const begun = await updateItem('traffic', key, {
    UpdateExpression: `SET #unshared = #counts, #shares = :yes ${until}`,
    ConditionExpression:
      'attribute_exists(#counts) AND (attribute_not_exists(#shares) OR #shares = :no OR #until < :soon)',
    ExpressionAttributeNames: { ...names, '#unshared': 'unshared', '#counts': 'counts' },
    ExpressionAttributeValues: { ...values, ':no': false, ':soon': now.getTime() + clockSkewMilliseconds },
    ReturnValues: 'ALL_NEW',
  });
  const shared = begun.isWritten
    ? begun
    : await updateItem('traffic', key, {
        UpdateExpression: `SET #shares = :yes ${until}`,
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: values,
        ReturnValues: 'ALL_NEW',
      });
  // Also what another creation of a key, which may have ended in between, has not added yet.
  const unshared = shared.isWritten ? shared.value?.unshared : undefined;
  if (unshared === undefined) return;
  await addToShared(programId, StoredCounts.parse(unshared), now);
  await updateItem('traffic', key, {
    UpdateExpression: 'REMOVE #unshared',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: { '#unshared': 'unshared' },
  });
};

/** Not at once: what the keys together have used still counts. */
const endSharing = async (key: ItemKey, now: Date): Promise<void> => {
  await updateItem('traffic', key, {
    UpdateExpression: 'SET #until = :until',
    ConditionExpression: '#shares = :yes AND attribute_not_exists(#until)',
    ExpressionAttributeNames: { '#shares': 'sharesLimit', '#until': 'sharesUntil' },
    ExpressionAttributeValues: { ':yes': true, ':until': now.getTime() + limitMilliseconds },
  });
};

export const applySharing = async (
  programId: string,
  { keys, deleted }: LimitUsers,
  sharing: Sharing,
  now: Date,
): Promise<void> => {
  const tokens = keys.map(({ tokenHash }) => tokenKey(tokenHash));
  if (!sharing.sharesLimit) return forEachConcurrent(tokens, maxConcurrency, (key) => endSharing(key, now));
  const limits = [...tokens, ...deleted.map(({ pk, sk }) => ({ pk, sk }))];
  await forEachConcurrent(limits, maxConcurrency, (key) => share(programId, key, sharing, now));
};

const sharingNow = ({ keys, deleted }: LimitUsers, now: Date): Sharing => sharingOf(keys.length, deleted.length, now);

/** Updates the tokens until they agree with the number of keys, whoever else creates or deletes some. */
export const propagateSharing = async (programId: string, now: Date): Promise<void> => {
  for (;;) {
    const users = await limitUsersOf(programId, now);
    const sharing = sharingNow(users, now);
    await applySharing(programId, users, sharing, now);
    const after = sharingNow(await limitUsersOf(programId, now), now);
    if (after.sharesLimit === sharing.sharesLimit && after.sharesUntil === sharing.sharesUntil) return;
  }
};
