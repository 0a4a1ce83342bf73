import { ApiError } from '../../contract/errors.ts';
import { updateItem } from '../../platform/table/items.ts';

const minuteMilliseconds = 60_000;

const formLimit = (): number => Number(process.env.FORM_LIMIT);

/** One conditional write per form; 429 with `Retry-After` beyond the limit. docs/behavior.md#bounds */
export const countForm = async (email: string, now: Date): Promise<void> => {
  const minute = Math.floor(now.getTime() / minuteMilliseconds);
  const endsAt = (minute + 1) * minuteMilliseconds;
  const key = { pk: `FORMS#${email}`, sk: String(minute) };
  const counted = await updateItem('traffic', key, {
    UpdateExpression: 'ADD #count :one SET #ttl = :ttl',
    ConditionExpression: 'attribute_not_exists(#count) OR #count < :limit',
    ExpressionAttributeNames: { '#count': 'count', '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':one': 1, ':limit': formLimit(), ':ttl': endsAt / 1000 + 60 },
  });
  if (counted.isWritten) return;
  const seconds = Math.ceil((endsAt - now.getTime()) / 1000);
  throw new ApiError(
    'rate_limited',
    `You have sent more than ${formLimit()} forms within a minute. Wait ${seconds} seconds, then send the form again.`,
    { headers: { 'retry-after': String(seconds) } },
  );
};
