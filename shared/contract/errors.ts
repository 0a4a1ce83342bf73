import { apiBasePath } from './base-paths.ts';

/** Every error with its status and default message. docs/behavior.md#error-bodies */
export const errorCatalogue = {
  bad_request: { status: 400, message: 'The request is not valid' },
  code_required: { status: 400, message: 'Code is required' },
  invalid_code: { status: 400, message: 'Invalid code' },
  already_exists: { status: 400, message: 'A record with this value already exists' },
  unauthorized: { status: 401, message: 'Unauthorized' },
  invalid_token: { status: 401, message: 'Invalid auth token' },
  plan_without_access: { status: 403, message: 'User does not have API access' },
  role_without_access: {
    status: 403,
    message: 'Your role in this program does not include this. Ask an owner of the program.',
  },
  session_ended: { status: 403, message: 'Your session has ended. Sign in again, then repeat what you did.' },
  form_not_ours: {
    status: 403,
    message: 'This form did not come from a page of your session. Go back, reload the page and try again.',
  },
  not_found: { status: 404, message: 'Not found' },
  program_not_found: { status: 404, message: 'Affiliate program not found' },
  path_not_found: {
    status: 404,
    message: `This path does not exist. See GET ${apiBasePath}/docs or GET ${apiBasePath}/openapi.json.`,
  },
  method_not_allowed: { status: 405, message: 'This method is not available on this path' },
  conflict: { status: 409, message: 'The record is in a state that does not allow this' },
  feed_expired: { status: 410, message: 'What follows this position has expired' },
  precondition_failed: { status: 412, message: 'The record has changed since the ETag in If-Match was read' },
  body_too_large: { status: 413, message: 'The request body is larger than 256 KB' },
  unsupported_media_type: { status: 415, message: 'Send the body as JSON with Content-Type: application/json' },
  idempotency_key_reused: { status: 422, message: 'This Idempotency-Key was used with another request body' },
  rate_limited: { status: 429, message: 'Too many requests. Please slow down.' },
  creation_failed: { status: 500, message: 'The record could not be created. Please try again.' },
  internal: { status: 500, message: 'Something went wrong on our side. Please try again.' },
  unavailable: { status: 503, message: 'The request could not be completed now. Try again in a few seconds.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

/** `path` is dotted; `code` is stable. docs/behavior.md#error-details */
export interface ErrorDetail {
  path: string;
  message: string;
  code?: string;
}

/** These respond with `{ "error": string }` whatever the method. docs/behavior.md#error-bodies */
const oneShape: ReadonlySet<ErrorCode> = new Set([
  'unauthorized',
  'invalid_token',
  'plan_without_access',
  'program_not_found',
  'path_not_found',
  'method_not_allowed',
  'rate_limited',
]);

export const alwaysReturnsErrorString = (code: ErrorCode): boolean => oneShape.has(code);

/** The only error that a client sees. The HTTP stack maps it to a response; nothing else catches it. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(
    code: ErrorCode,
    message: string = errorCatalogue[code].message,
    more: { details?: readonly ErrorDetail[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.details = more.details;
    this.headers = more.headers;
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}

/** A 400 about one field. `path` is dotted, as in `codeStructure.firstName`. */
export const fieldError = (path: string, message: string, code?: string): ApiError =>
  new ApiError('bad_request', message, { details: [code ? { path, message, code } : { path, message }] });

/** The record, or 404. docs/behavior.md#isolation */
export const requireRecord = <Stored>(record: Stored | undefined, noun: string): Stored => {
  if (record === undefined) throw new ApiError('not_found', `${noun} not found`);
  return record;
};
