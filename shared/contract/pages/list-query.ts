import * as z from 'zod';
import { exactLine } from '../fields.ts';

/** A filter in the query of a list. The form of the page sends it empty where nothing is chosen: it filters nothing then. */
export const filter = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (typeof value === 'string' && value.trim() === '' ? undefined : value), z.optional(schema));

/** Where a further part of a list begins: from the link to it. */
export const cursor = exactLine.max(2000).optional();
