import { ApiError } from '../../contract/errors.ts';
import { countRequest } from '../access/count-request.ts';

const formLimit = (): number => Number(process.env.FORM_LIMIT);

/** One conditional write per form; 429 with `Retry-After` beyond the limit in any 60 seconds. docs/behavior.md#bounds */
export const countForm = async (email: string, now: Date): Promise<void> => {
  const limitPerMinute = formLimit();
  const key = { pk: `FORMS#${email}`, sk: 'COUNTS' };
  const { isAllowed, usage } = await countRequest(
    key,
    { endpoint: 'forms', limitPerMinute, now },
    { mustExist: false },
  );
  if (isAllowed) return;
  const seconds = usage.retryAfterSeconds;
  throw new ApiError(
    'rate_limited',
    `You have sent more than ${limitPerMinute} forms within a minute. Wait ${seconds} seconds, then send the form again.`,
    { headers: { 'retry-after': String(seconds) } },
  );
};
