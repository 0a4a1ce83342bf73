import { AffiliateProgramError, errorOf } from './errors.ts';

export interface ApiRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
  signal: AbortSignal | undefined;
  timeoutMs: number;
  maxRetries: number;
}

export interface ApiResponse {
  response: Response;
  text: string;
}

type Outcome = ApiResponse | { error: AffiliateProgramError; retryAfter?: string | null };

const firstWaitMs = 500;
const maxWaitMs = 8_000;
/** A service that asks for a longer wait than this fails the call. */
const maxRetryAfterMs = 120_000;

const isRetried = (status: number, retryAfter: string | null): boolean =>
  status === 408 ||
  status === 429 ||
  status >= 500 ||
  // The same request is still running, after a timeout of ours.
  (status === 409 && retryAfter !== null);

const retryAfterMs = (value: string | null | undefined): number => {
  if (!value) return 0;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
};

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });

/** One attempt, its body included. Throws only when the caller's signal ends it. */
const attempt = async (fetch: typeof globalThis.fetch, request: ApiRequest): Promise<Outcome> => {
  const { method, url, headers, body, signal, timeoutMs } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const text = await response.text();
    if (response.ok) return { response, text };
    return { error: errorOf(response, text), retryAfter: response.headers.get('retry-after') };
  } catch (cause) {
    signal?.throwIfAborted();
    const error = timeout.aborted
      ? new AffiliateProgramError(`${method} ${url} got no response within ${timeoutMs} ms`, { code: 'timeout', cause })
      : new AffiliateProgramError(`${method} ${url} could not be sent`, { code: 'network_error', cause });
    return { error };
  }
};

/** Waits with full jitter, after `Retry-After`. Throws AffiliateProgramError, or the reason of the caller's signal. */
export const send = async (fetch: typeof globalThis.fetch, request: ApiRequest): Promise<ApiResponse> => {
  for (let retries = 0; ; retries++) {
    request.signal?.throwIfAborted();
    const outcome = await attempt(fetch, request);
    if ('response' in outcome) return outcome;
    const { error, retryAfter = null } = outcome;
    const asked = retryAfterMs(retryAfter);
    const isFinal = error.status !== undefined && !isRetried(error.status, retryAfter);
    if (isFinal || retries >= request.maxRetries || asked > maxRetryAfterMs) throw error;
    await pause(asked + Math.random() * Math.min(maxWaitMs, firstWaitMs * 2 ** retries), request.signal);
  }
};
