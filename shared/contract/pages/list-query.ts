import * as z from 'zod';
import { exactLine } from '../fields.ts';

/** The form sends an empty filter where nothing is chosen. */
export const filter = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (typeof value === 'string' && value.trim() === '' ? undefined : value), z.optional(schema));

export const cursor = exactLine.max(2000).optional();
