import * as z from 'zod';
import { canonicalEmail } from '../email.ts';
import { exactLine, text } from '../fields.ts';

/** The form sends an empty filter where nothing is chosen. */
export const filter = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (typeof value === 'string' && value.trim() === '' ? undefined : value), z.optional(schema));

/** The days when a record was created, both included. */
export const period = {
  from: filter(z.iso.date('must be a day such as 2026-01-31')),
  to: filter(z.iso.date('must be a day such as 2026-01-31')),
};

/** A mistyped email finds nothing; it is not an invalid form. */
export const soughtEmail = text(254).overwrite((value) => canonicalEmail(value) ?? value);

/** How a list is sorted where it is not newest first: `oldest`, or what an index has in order. */
export const sortedBy = <const Orders extends readonly string[]>(...orders: Orders) => ({
  sort: filter(z.enum(['oldest', ...orders])),
});

export const cursor = exactLine.max(2000).optional();
