import * as z from 'zod';
import { canonicalEmail } from '../email.ts';
import { exactLine, text } from '../fields.ts';

/** A form sends empty fields for filters that are not used. */
export const filter = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (typeof value === 'string' && value.trim() === '' ? undefined : value), z.optional(schema));

/** From the first to the last day on which a record was created. */
export const period = {
  from: filter(z.iso.date('must be a date such as 2026-01-31')),
  to: filter(z.iso.date('must be a date such as 2026-01-31')),
};

/** An email, or words that lead to one. */
export const soughtEmail = text(254).overwrite((value) => canonicalEmail(value) ?? value);

/** Other orders than newest first: `oldest`, and the orders of the list's indexes. */
export const sortedBy = <const Orders extends readonly string[]>(...orders: Orders) => ({
  sort: filter(z.enum(['oldest', ...orders])),
});

/** Adds up a list that is longer than a page. */
export const totals = filter(z.literal('on'));

export const cursor = exactLine.max(2000).optional();

export const shownDays = ['7', '30', '90'] as const;
export const shownMonths = ['this', 'last'] as const;

/** The period of a chart: a month, else the last days. */
export const shownPeriod = { days: z.enum(shownDays).default('30'), month: z.enum(shownMonths).optional() };
