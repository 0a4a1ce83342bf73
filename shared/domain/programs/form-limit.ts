import { bounds } from '../../contract/bounds.ts';
import { countAgainstLimit, formLimit } from './count-against-limit.ts';

/** What an account, or an affiliate in the portal, may do by pages and forms in any 60 seconds. docs/behavior.md#bounds */

/** One conditional write per form; 429 with `Retry-After` beyond the limit. */
export const countForm = (sender: string, now: Date): Promise<void> => {
  const limitPerMinute = formLimit();
  return countAgainstLimit(
    sender,
    { endpoint: 'forms', limitPerMinute },
    now,
    (seconds) =>
      `You have sent more than ${limitPerMinute} forms within a minute. Wait ${seconds} seconds, then send the form again.`,
  );
};

/** Of a form that writes several; one more write, of as many records as it writes. */
export const countFormRecords = (sender: string, amount: number, now: Date): Promise<void> => {
  const limitPerMinute = formLimit() * bounds.recordsPerFormOfLimit;
  return countAgainstLimit(
    sender,
    { endpoint: 'form records', limitPerMinute, amount },
    now,
    (seconds) =>
      `Your forms may write ${limitPerMinute} records within a minute, and this one would write ${amount} more. ` +
      `Wait ${seconds} seconds, then send it again.`,
  );
};

/** One conditional write per page, and none once the limit is known to be reached. */
export const countPage = (sender: string, now: Date): Promise<void> => {
  const limitPerMinute = formLimit() * bounds.pagesPerFormOfLimit;
  return countAgainstLimit(
    sender,
    { endpoint: 'pages', limitPerMinute },
    now,
    (seconds) =>
      `You have requested more than ${limitPerMinute} pages within a minute. Wait ${seconds} seconds, then load the page again.`,
  );
};
