/** What is wrong with one field. `path` is dotted; `code` is stable. */
export interface ErrorDetail {
  path: string;
  message: string;
  code?: string | undefined;
}

const codes: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  410: 'expired',
  412: 'precondition_failed',
  413: 'body_too_large',
  414: 'address_too_long',
  415: 'unsupported_media_type',
  422: 'idempotency_key_reused',
  429: 'rate_limited',
  431: 'headers_too_large',
  503: 'unavailable',
  504: 'unavailable',
};

interface ErrorFields {
  status?: number | undefined;
  code: string;
  details?: readonly ErrorDetail[] | undefined;
  requestId?: string | undefined;
  cause?: unknown;
}

/** A call that failed. */
export class AffiliateProgramError extends Error {
  override name = 'AffiliateProgramError';
  /** Undefined where no response came. */
  readonly status: number | undefined;
  /** The reason of the first detail (`code_expired`), or of the status (`not_found`), `network_error` or `timeout`. */
  readonly code: string;
  /** The field that is wrong, dotted, as in `codeStructure.firstName`. */
  readonly field: string | undefined;
  readonly details: readonly ErrorDetail[];
  /** Names the request in the logs of the service. */
  readonly requestId: string | undefined;

  constructor(message: string, { status, code, details = [], requestId, cause }: ErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
    this.details = details;
    this.field = details[0]?.path;
    this.requestId = requestId;
  }
}

/** The bodies are those of docs/behavior.md#error-bodies; a proxy's may be anything. */
const readBody = (text: string): { error?: unknown; message?: unknown; details?: ErrorDetail[] } => {
  try {
    const body: unknown = JSON.parse(text);
    return body instanceof Object ? body : {};
  } catch {
    return {};
  }
};

export const errorOf = ({ status, statusText, headers }: Response, text: string): AffiliateProgramError => {
  const { error, message, details } = readBody(text);
  const sentence = [message, error].find((value) => typeof value === 'string');
  return new AffiliateProgramError(sentence ?? `The API returned ${status} ${statusText}`.trim(), {
    status,
    code: details?.[0]?.code ?? codes[status] ?? (status >= 500 ? 'internal' : 'bad_request'),
    details,
    requestId: headers.get('x-request-id') ?? undefined,
  });
};
