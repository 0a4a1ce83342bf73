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
}

/** The affiliates of `test/data/affiliates.csv`, with emails and links that belong to one run: a stack may see many. */
export const readPeople = (run: string): Person[] => {
  const file = new URL('../data/affiliates.csv', import.meta.url);
  const rows = z.array(Row).parse(parse(readFileSync(file), { columns: true, bom: true, skip_empty_lines: true }));
  return rows.map(({ firstName, lastName, email, affiliateLink, commissionRate }) => ({
    firstName,
    lastName,
    email: email.replace('@', `+${run}@`),
    ...(affiliateLink && { affiliateLink: `${affiliateLink}-${run}` }),
    ...(commissionRate && { commissionRate: Number(commissionRate) }),
  }));
};
