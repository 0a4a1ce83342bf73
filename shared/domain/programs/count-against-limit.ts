import { ApiError } from '../../contract/errors.ts';
import { countRequest } from '../access/count-request.ts';

/** Forms of an account in 60 seconds, which other limits follow. */
export const formLimit = (): number => Number(process.env.FORM_LIMIT);

/** Counts in `FORMS#<sender>`; 429 with `Retry-After` beyond the limit. */
export const countAgainstLimit = async (
  sender: string,
  { endpoint, limitPerMinute, amount }: { endpoint: string; limitPerMinute: number; amount?: number },
  now: Date,
  explain: (seconds: number) => string,
): Promise<void> => {
  const key = { pk: `FORMS#${sender}`, sk: 'COUNTS' };
  const request = { endpoint, limitPerMinute, now, ...(amount !== undefined && { amount }) };
  const { isAllowed, usage } = await countRequest(key, request, { mustExist: false });
  if (isAllowed) return;
  // More than is left of it, where the limit is not used up.
  const seconds = usage.retryAfterSeconds || usage.resetSeconds;
  throw new ApiError('rate_limited', explain(seconds), { headers: { 'retry-after': String(seconds) } });
};
