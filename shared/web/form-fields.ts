import { ApiError, fieldError } from '../contract/errors.ts';
import type { HttpEvent, RequestState } from '../http/pipeline.ts';

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
    throw new ApiError('unsupported_media_type', 'This address takes forms only');
  const text = String(body ?? '');
  if (text.length > maxFormBytes) throw new ApiError('body_too_large', 'The form is too large');
  return entriesOf(isBase64Encoded ? Buffer.from(text, 'base64').toString('utf8') : text);
};

export const withoutEmpty = (fields: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value.trim() !== ''));
