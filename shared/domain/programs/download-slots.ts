import { randomInt } from 'node:crypto';
import { ApiError } from '../../contract/errors.ts';
import { logError } from '../../platform/logs/log.ts';
import { updateItem } from '../../platform/table/items.ts';

const slots = ['first', 'second'] as const;
/** Longer than a function runs, so that the slot of one that died is free again. */
const leaseMilliseconds = 30_000;

const keyOf = (email: string) => ({ pk: `FORMS#${email}`, sk: 'DOWNLOADS' });

const take = async (email: string, slot: string, now: Date): Promise<boolean> => {
  const until = now.getTime() + leaseMilliseconds;
  const { isWritten } = await updateItem('traffic', keyOf(email), {
    UpdateExpression: 'SET #slot = :until, #ttl = :ttl',
    ConditionExpression: 'attribute_not_exists(#slot) OR #slot <= :now',
    ExpressionAttributeNames: { '#slot': slot, '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':until': until, ':now': now.getTime(), ':ttl': Math.ceil(until / 1000) + 60 },
  });
  return isWritten;
};

/** A lease that has ended since may be another download's. */
const giveBack = async (email: string, slot: string, now: Date): Promise<void> => {
  try {
    await updateItem('traffic', keyOf(email), {
      UpdateExpression: 'REMOVE #slot',
      ConditionExpression: '#slot = :until',
      ExpressionAttributeNames: { '#slot': slot },
      ExpressionAttributeValues: { ':until': now.getTime() + leaseMilliseconds },
    });
  } catch (error) {
    // The file is made, and the lease ends by itself.
    logError('download slot not given back', error);
  }
};

/** Runs at most two downloads of an account at a time; 429 for others. docs/behavior.md#bounds */
export const withDownloadSlot = async <Result>(
  email: string,
  now: Date,
  act: () => Promise<Result>,
): Promise<Result> => {
  const first = randomInt(slots.length);
  for (const slot of [...slots.slice(first), ...slots.slice(0, first)]) {
    if (!(await take(email, slot, now))) continue;
    try {
      return await act();
    } finally {
      await giveBack(email, slot, now);
    }
  }
  throw new ApiError(
    'rate_limited',
    'Two files are being made for your account already. Wait a few seconds until they are there, then download again.',
    { headers: { 'retry-after': '5' } },
  );
};
