import httpJsonBodyParser from '@middy/http-json-body-parser';
import { ApiError } from '../contract/errors.ts';
import { type ApiEvent, isOnConnector } from './api-request.ts';
import { formFields } from './lenient-input.ts';

/** See docs/behavior.md#malformed-requests */
const maxBodyBytes = 256 * 1024;

const bodyBytes = ({ body, isBase64Encoded }: ApiEvent): number =>
  typeof body === 'string' ? Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8') : 0;

const isJson = ({ headers }: ApiEvent): boolean =>
  /^application\/([^;\s]+\+)?json\s*($|;)/i.test(headers['content-type'] ?? '');

const isForm = ({ headers }: ApiEvent): boolean =>
  /^application\/x-www-form-urlencoded\s*($|;)/i.test(headers['content-type'] ?? '');

/** 413 by size and 415 by content type; only the connector takes forms. */
export const checkBody = (event: ApiEvent): void => {
  const takesBody = event.state.served?.declared.body !== undefined;
  // Where everything is in the query, there may be none.
  if (!takesBody || (!event.body && (event.rawQueryString !== '' || isOnConnector(event)))) event.body = {};
  if (bodyBytes(event) > maxBodyBytes) throw new ApiError('body_too_large');
  if (typeof event.body !== 'string' || isJson(event)) return;
  if (!isOnConnector(event)) throw new ApiError('unsupported_media_type');
  if (!isForm(event)) throw new ApiError('unsupported_media_type', 'Send the body as JSON or as an URL-encoded form');
  event.state.isForm = true;
};

// The parser's types do not know an event whose body was parsed.
const { before: parseJson } = httpJsonBodyParser({ disableContentTypeError: true }) as unknown as {
  before: (request: { event: ApiEvent }) => void;
};

const jsonError = (error: unknown): ApiError =>
  error instanceof Error && error.message.startsWith('Forbidden key')
    ? new ApiError('bad_request', 'The body has a key that is not allowed, such as __proto__')
    : new ApiError('bad_request', 'The body is missing or is not valid JSON');

/** Replaces the text of the body by its content. */
export const readBody = (event: ApiEvent): void => {
  if (event.body instanceof Object) return;
  if (event.state.isForm) {
    const text = String(event.body);
    event.body = formFields(event.isBase64Encoded ? Buffer.from(text, 'base64').toString() : text);
    return;
  }
  try {
    // The parser knows fewer forms of the content type, which was checked before.
    const parsed = { ...event, headers: { ...event.headers, 'content-type': 'application/json' } };
    parseJson({ event: parsed });
    event.body = parsed.body;
  } catch (error) {
    throw jsonError(error);
  }
};
