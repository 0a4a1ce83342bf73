import { importKinds } from '../../contract/imports.ts';
import type { Source } from './exported-kinds.ts';
import { exportedKinds, isExported } from './exported-kinds.ts';

const recordFiles = (): string =>
  Object.values(exportedKinds)
    .filter(isExported)
    .map(({ name }) => `  records/${name}.jsonl`)
    .join('\n');

/** What is what in the archive, for the person who opens it. */
export const readMe = ({ program, now }: Source): string => `Export of ${program.name}
Begun at ${now.toISOString()}. All times are in UTC, all amounts in ${program.currency} unless a column names another currency.

CSV FILES, TO BE IMPORTED AGAIN
${importKinds.map((kind) => `  ${kind}.csv`).join('\n')}

Import them in this order, into a program with the same currency. A kind with more than 50,000 records has further
files: sales-2.csv, sales-3.csv. Records name each other by emails, links, codes and external ids, because ids differ
from program to program. Cells that a spreadsheet would take for a formula begin with an apostrophe, which an import
takes off.

What these files cannot say is in the JSON lines alone:
  groups, and which affiliate is in which of them
  what affiliates entered to apply, and what was decided
  the state of payout batches that are not paid yet, and adjustments
  decisions of reviews, notes and the status of referrals
  commissions and payments of sales whose affiliate was deleted
  coupons that make codes for new affiliates: these rules are off after an import

JSON LINES, WITH EVERYTHING
  records/program.json has the settings of the program
${recordFiles()}

Each line is a record, as the API returns it, in the order in which the records were created. Records that were
changed while the export ran may be as they were before or after.

Not in the export: the images of assets (records/assets.jsonl has the address of each), API keys, webhook endpoints and their secrets, members, events and the figures that are counted
from these records.
`;
