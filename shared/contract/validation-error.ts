import type * as z from 'zod';
import { ApiError, type ErrorDetail } from './errors.ts';

const maxDetails = 20;

type Issue = z.core.$ZodIssue;

const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (value !== null && typeof value === 'object' ? Reflect.get(value, key) : undefined),
    input,
  );

const article = (noun: string): string => (/^[aeio]/.test(noun) ? `an ${noun}` : `a ${noun}`);

const nouns: Record<string, string> = { int: 'whole number', record: 'object', bigint: 'whole number' };

const bound = (issue: Extract<Issue, { code: 'too_small' | 'too_big' }>): string => {
  const isLow = issue.code === 'too_small';
  const limit = isLow ? issue.minimum : issue.maximum;
  if (issue.origin === 'string') {
    if (isLow && Number(limit) <= 1) return 'must not be empty';
    return `must have at ${isLow ? 'least' : 'most'} ${limit} characters`;
  }
  if (issue.origin === 'array')
    return `must have at ${isLow ? 'least' : 'most'} ${limit} ${limit === 1 ? 'entry' : 'entries'}`;
  if (issue.inclusive === false) return `must be ${isLow ? 'above' : 'below'} ${limit}`;
  return `must be at ${isLow ? 'least' : 'most'} ${limit}`;
};

const codesOfMissing: ReadonlySet<string> = new Set([
  'invalid_type',
  'invalid_value',
  'invalid_format',
  'invalid_union',
]);

/** The second half of a sentence that begins with the field's name. */
const predicateOf = (issue: Issue, input: unknown): string => {
  const missing = valueAt(input, issue.path) === undefined;
  if (missing && codesOfMissing.has(issue.code)) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      if (issue.message.startsWith('must ')) return issue.message;
      return `must be ${article(nouns[issue.expected] ?? issue.expected)}`;
    case 'too_small':
    case 'too_big':
      return bound(issue);
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'invalid_union':
      return issue.message.startsWith('must ') ? issue.message : 'has a value of the wrong form';
    case 'invalid_key':
      return `has a key that is not allowed`;
    default:
      return issue.message;
  }
};

const maxNameCharacters = 100;

/** A caller's own field name, shortened for an error message. */
export const shortName = (name: string): string =>
  name.length > maxNameCharacters ? `${name.slice(0, maxNameCharacters).toWellFormed()}…` : name;

const pathOf = (names: readonly PropertyKey[]): string => names.map((name) => shortName(String(name))).join('.');

const detailsOf = (issue: Issue, input: unknown, fieldNoun: string): ErrorDetail[] => {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, maxDetails).map((key) => {
      const path = pathOf([...issue.path, key]);
      return { path, message: `${path} is not a known ${fieldNoun}` };
    });
  }
  const path = pathOf(issue.path);
  const predicate = predicateOf(issue, input);
  const message = predicate.startsWith(',') ? `${path}${predicate}` : `${path} ${predicate}`.trim();
  return [{ path, message }];
};

/** The 400 for input that a schema refused. docs/behavior.md#error-details */
export const validationError = (
  error: z.ZodError,
  input: unknown,
  fieldNoun: 'field' | 'query parameter',
): ApiError => {
  const details = error.issues.flatMap((issue) => detailsOf(issue, input, fieldNoun));
  return new ApiError('bad_request', details[0]?.message ?? 'The request is not valid', {
    details: details.slice(0, maxDetails),
  });
};
