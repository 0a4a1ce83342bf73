import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import * as z from 'zod';

const Row = z.object({
  firstName: z.string(),
  lastName: z.string(),
  email: z.string(),
  affiliateLink: z.string(),
  commissionRate: z.string(),
});

/** One of the 60 affiliates, as POST /affiliates takes them. */
export interface Person {
  firstName: string;
  lastName: string;
  email: string;
  affiliateLink?: string;
  commissionRate?: number;
  affiliateStatus?: 'inactive';
}

/** The last two have applied, and wait to be approved. */
const applications = 2;

/** The affiliates of `test/data/affiliates.csv`. `suffix` makes the emails and links of a run that is not the first. */
export const readPeople = (suffix: string): Person[] => {
  const file = new URL('../data/affiliates.csv', import.meta.url);
  const rows = z.array(Row).parse(parse(readFileSync(file), { columns: true, bom: true, skip_empty_lines: true }));
  return rows.map(({ firstName, lastName, email, affiliateLink, commissionRate }, at) => ({
    firstName,
    lastName,
    email: email.replace('@', `${suffix}@`),
    ...(affiliateLink && { affiliateLink: `${affiliateLink}${suffix}` }),
    ...(commissionRate && { commissionRate: Number(commissionRate) }),
    ...(at >= rows.length - applications && { affiliateStatus: 'inactive' as const }),
  }));
};
