import * as z from 'zod';
import { canonicalEmail } from './email.ts';

export const uuid = z.uuid('must be a UUID').toLowerCase();

export const email = z
  .string()
  .overwrite((value) => canonicalEmail(value) ?? value)
  .max(254)
  .refine((value) => canonicalEmail(value) === value, 'must be an email address')
  .meta({ format: 'email' });

const lineForm = /^\P{Cc}*$/u;
const linesForm = /^[\P{Cc}\t\n\r]*$/u;
const notALine = 'must not contain control characters';
const notLines = 'must not contain control characters other than tabs and line breaks';

export const line = z.string().trim().regex(lineForm, notALine);

export const exactLine = z.string().regex(lineForm, notALine);

export const lines = z.string().trim().regex(linesForm, notLines);

/** As JSON Schema counts characters: an emoji is one, not two. docs/behavior.md#characters */
export const maxCharacters = (maximum: number): z.core.$ZodCheck<string> => {
  const check: z.core.$ZodCheck<string> = z.check<string>(({ value, issues }) => {
    if ([...value].length > maximum)
      issues.push({ code: 'too_big', origin: 'string', maximum, inclusive: true, input: value, inst: check });
  });
  // For the JSON Schema.
  check._zod.onattach = [({ _zod: { bag } }) => Object.assign(bag, { maximum })];
  return check;
};

export const text = (maximumCharacters: number) => line.min(1).check(maxCharacters(maximumCharacters));

export const externalId = text(255);

const instantForm = 'must be a date-time such as 2026-01-31T12:00:00Z';

/** Any offset, kept as UTC. The UTC form must have a year of four digits too. */
export const instant = z.iso
  .datetime({ offset: true, error: instantForm, abort: true })
  .overwrite((value) => new Date(value).toISOString())
  .refine((value) => /^\d{4}-/.test(value), instantForm);

const dateOnly = /^\d{4}-\d{2}-\d{2}$/;

/** A date without a time is midnight UTC. docs/behavior.md#times */
const filterInstant = exactLine
  .overwrite((value) => (dateOnly.test(value) ? `${value}T00:00:00Z` : value))
  .pipe(instant)
  .meta({ format: 'date-time' });

export const returnedInstant = z.iso.datetime();

export const isBaseUrl = (line: string): boolean => {
  if (!/^https?:\/\//i.test(line) || !URL.canParse(line)) return false;
  const { username, password } = new URL(line);
  return username === '' && password === '';
};

export const destinationUrl = line
  .max(2000)
  .refine(isBaseUrl, 'must be an absolute http or https URL without credentials')
  // As browsers read it: what a parser could read otherwise is not kept.
  .overwrite((value) => (isBaseUrl(value) ? new URL(value).href : value));

export const baseUrlLines = lines
  .max(5000)
  .default('')
  .transform((lines) => [...new Set(lines.split(/\s+/).filter(Boolean))])
  .superRefine((urls, context) => {
    const wrong = urls.find((url) => !isBaseUrl(url));
    const message = wrong === undefined ? 'may have at most 20 addresses' : `contains an invalid URL: ${wrong}`;
    if (wrong !== undefined || urls.length > 20) context.addIssue({ code: 'custom', message });
  });

const isTimeZone = (name: string): boolean => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name })) && !/^[+-]/.test(name);
  } catch {
    return false;
  }
};

export const timeZone = z.string().max(100).refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin');

/** The public name of a program. docs/behavior.md#handles */
export const handle = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9-]{3,40}$/, 'must be 3 to 40 letters, digits and hyphens')
  .regex(/^[a-z0-9].*[a-z0-9]$/, 'must begin and end with a letter or digit');

const isoCurrencies = new Set(Intl.supportedValuesOf('currency'));

export const currency = z
  .string()
  .trim()
  .toUpperCase()
  .refine((code) => isoCurrencies.has(code), 'must be an ISO 4217 currency code such as USD')
  .meta({ example: 'USD' });

/** Of any currency; the bound in minor units is checked when the currency is known. docs/behavior.md#amounts */
export const maxMinorUnits = 999_999_999_999_999;
export const amount = z.number().positive().max(maxMinorUnits);

/** DynamoDB does not store numbers closer to 0. */
const isKept = (value: number): boolean => value === 0 || Math.abs(value) >= 1e-100;

export const commissionRate = z.number().min(0).max(100).refine(isKept, 'is too close to 0');

/** Outside these bounds DynamoDB would return another number. */
const metadataNumber = z
  .number()
  .min(-Number.MAX_SAFE_INTEGER)
  .max(Number.MAX_SAFE_INTEGER)
  .refine(isKept, 'is too close to 0');

const metadataValue = z.union(
  [z.string().check(maxCharacters(500)), metadataNumber, z.boolean()],
  'must be a text of at most 500 characters, a number or a boolean',
);

const metadataText = 'Up to 50 keys of your own, with texts, numbers and booleans, returned unchanged.';

/** See docs/behavior.md#metadata */
export const metadata = z
  .record(z.string().min(1).check(maxCharacters(40)).regex(lineForm, notALine), metadataValue)
  .refine((value) => Object.keys(value).length <= 50, 'may have at most 50 keys')
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= 16_384, 'may have at most 16 KB as JSON')
  .superRefine((value, context) => {
    for (const [key, inner] of Object.entries(value))
      if (typeof inner === 'string' && !linesForm.test(inner))
        context.addIssue({ code: 'custom', path: [key], message: notLines });
  })
  .describe(metadataText);

export const returnedMetadata = z.record(z.string(), metadataValue).describe(metadataText);

/** See docs/behavior.md#link-text */
export const linkSlug = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[A-Za-z0-9-]+$/, 'may have letters, digits and hyphens only');

/** Signed by this service when a link was followed. docs/behavior.md#click-ids */
export const clickId = text(200);

/** Why a record was credited to its affiliate. docs/behavior.md#why-an-affiliate-is-credited */
export const attribution = z
  .object({
    via: z.enum(['CODE', 'REFERRAL', 'CUSTOMER', 'CLICK', 'LINK', 'IMPORT', 'MANUAL']),
    affiliateLinkId: z.uuid().nullable(),
    promotionalCodeId: z.uuid().nullable(),
    clickedAt: z.iso.datetime().nullable(),
  })
  .nullable();

export const codeReference = exactLine.min(1).check(maxCharacters(100));

/** `null` means absent, as on every optional field of a create. docs/behavior.md#null-in-creates */
export const orDefault = <Schema extends z.ZodType>(schema: Schema, value: NoInfer<z.output<Schema>>) =>
  schema
    .nullish()
    .transform((given): z.output<Schema> => given ?? value)
    .meta({ default: value });

/** `null` clears the field of a record that is updated. docs/behavior.md#null-in-updates */
export const clearable = <Schema extends z.ZodType>(schema: Schema, empty: NoInfer<z.output<Schema>>) =>
  schema
    .nullable()
    .transform((given): z.output<Schema> => given ?? empty)
    .optional();

/** One of some lower-case words, in any letter case. */
export const anyCase = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  line
    .toLowerCase()
    .pipe(z.enum(words))
    .meta({ enum: [...words] });

const digits = /^\d+$/;

/** Decimal digits alone: not 0x10, 1e1, +1 or a space. docs/behavior.md#numbers-in-the-query */
const queryNumber = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (typeof value === 'string' && digits.test(value) ? Number(value) : value), schema);

/** A field of a body as a parameter of the query, where it is text and never null. */
export const inQuery = (field: z.ZodType): z.ZodType => {
  if (field instanceof z.ZodOptional || field instanceof z.ZodNullable) return inQuery(field.unwrap() as z.ZodType);
  return field instanceof z.ZodNumber ? queryNumber(field) : field;
};

const wholeNumber = 'must be a whole number, in decimal digits';

/** How many records a page may hold. */
export const pageLimit = queryNumber(z.int(wholeNumber).min(1).max(100));

export const queryBoolean = z.enum(['true', 'false']).transform((value) => value === 'true');

/** See docs/behavior.md#lists */
export const paging = {
  limit: pageLimit
    .default(50)
    .describe('How many records a page holds at most. A page may hold fewer while a Link header still names the next.'),
  cursor: exactLine.min(1).max(2000).optional().describe('From the Link header of the page before.'),
  createdAfter: filterInstant.optional().describe('Inclusive.'),
  createdBefore: filterInstant.optional().describe('Exclusive.'),
  updatedAfter: filterInstant.optional().describe('Exclusive.'),
};

export const recordFields = {
  id: z.uuid(),
  createdAt: returnedInstant.describe('When the record was created.'),
  updatedAt: returnedInstant.describe('When the record was last changed.'),
};
