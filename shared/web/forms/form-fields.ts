import * as z from 'zod';
import { ApiError, fieldError } from '../../contract/errors.ts';
import { lenientFields } from '../../http/lenient-input.ts';
import type { HttpEvent, RequestState } from '../../http/pipeline.ts';
import { enteredNumber } from './entered-numbers.ts';

const maxFormBytes = 64 * 1024;

export const entriesOf = (encoded: string): Record<string, string> => {
  const entries: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(encoded)) {
    if (Object.hasOwn(entries, name)) throw fieldError(name, `${name} is given twice`);
    Object.defineProperty(entries, name, { value, enumerable: true, configurable: true });
  }
  return entries;
};

export const formFieldsOf = ({ headers, body, isBase64Encoded }: HttpEvent<RequestState>): Record<string, string> => {
  if (!/^application\/x-www-form-urlencoded($|;)/i.test(headers['content-type'] ?? ''))
    throw new ApiError('unsupported_media_type', 'This page accepts forms only');
  const text = String(body ?? '');
  if (text.length > maxFormBytes) throw new ApiError('body_too_large', 'The form is too large');
  return entriesOf(isBase64Encoded ? Buffer.from(text, 'base64').toString('utf8') : text);
};

const typeOf = (schema: z.core.$ZodType): string => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional' || def.type === 'nullable' || def.type === 'default') return typeOf(def.innerType);
  return def.type === 'pipe' ? typeOf(def.in) : def.type;
};

/** The fields of a form as its schema expects them: text becomes numbers and booleans. */
export const formInput = (
  { shape }: z.ZodObject,
  fields: Readonly<Record<string, string>>,
  { emptyRemoves = false } = {},
): Record<string, unknown> => {
  const read = (name: string, value: string): string => {
    const schema = shape[name];
    // Browsers send a line break as two characters, and count it as one.
    return schema && typeOf(schema) === 'number' ? enteredNumber(name, value) : value.replaceAll('\r\n', '\n');
  };
  const filled = Object.entries(fields).filter(([, value]) => value.trim() !== '');
  const sent = Object.fromEntries(filled.map(([name, value]) => [name, read(name, value)]));
  const unknown = Object.entries(sent).filter(([name]) => !Object.hasOwn(shape, name));
  const input = { ...Object.fromEntries(unknown), ...lenientFields(shape, sent) };
  for (const [name, schema] of Object.entries(shape)) {
    if (typeOf(schema) === 'boolean') input[name] = Object.hasOwn(sent, name);
    else if (emptyRemoves && Object.hasOwn(fields, name) && !Object.hasOwn(sent, name))
      input[name] = z.safeParse(schema, null).success ? null : '';
  }
  return input;
};
