import { bounds } from '../../contract/bounds.ts';
import { ApiError } from '../../contract/errors.ts';
import { countRequest } from '../access/count-request.ts';

/** What an account may do by pages and forms in any 60 seconds. docs/behavior.md#bounds */

const formLimit = (): number => Number(process.env.FORM_LIMIT);

const count = async (
  email: string,
  { endpoint, limitPerMinute, amount }: { endpoint: string; limitPerMinute: number; amount?: number },
  now: Date,
  explain: (seconds: number) => string,
): Promise<void> => {
  const key = { pk: `FORMS#${email}`, sk: 'COUNTS' };
  const request = { endpoint, limitPerMinute, now, ...(amount !== undefined && { amount }) };
  const { isAllowed, usage } = await countRequest(key, request, { mustExist: false });
  if (isAllowed) return;
  // More than is left of it, where the limit is not used up.
  const seconds = usage.retryAfterSeconds || usage.resetSeconds;
  throw new ApiError('rate_limited', explain(seconds), { headers: { 'retry-after': String(seconds) } });
};

/** One conditional write per form; 429 with `Retry-After` beyond the limit. */
export const countForm = (email: string, now: Date): Promise<void> => {
  const limitPerMinute = formLimit();
  return count(
    email,
    { endpoint: 'forms', limitPerMinute },
    now,
    (seconds) =>
      `You have sent more than ${limitPerMinute} forms within a minute. Wait ${seconds} seconds, then send the form again.`,
  );
};

/** Of a form that writes several; one more write, of as many records as it writes. */
export const countFormRecords = (email: string, amount: number, now: Date): Promise<void> => {
  const limitPerMinute = formLimit() * bounds.recordsPerFormOfLimit;
  return count(
    email,
    { endpoint: 'form records', limitPerMinute, amount },
    now,
    (seconds) =>
      `Your forms may write ${limitPerMinute} records within a minute, and this one would write ${amount} more. ` +
      `Wait ${seconds} seconds, then send it again.`,
  );
};

/** One conditional write per page, and none once the limit is known to be reached. */
export const countPage = (email: string, now: Date): Promise<void> => {
  const limitPerMinute = formLimit() * bounds.pagesPerFormOfLimit;
  return count(
    email,
    { endpoint: 'pages', limitPerMinute },
    now,
    (seconds) =>
      `You have requested more than ${limitPerMinute} pages within a minute. Wait ${seconds} seconds, then load the page again.`,
  );
};
