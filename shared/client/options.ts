/** How the API is reached. */
export interface ClientSettings {
  /** An API key of the program. `AFFILIATE_PROGRAM_KEY` of the environment when absent. */
  apiKey?: string | undefined;
  /** Ends in `/api/v1`. `AFFILIATE_PROGRAM_URL` of the environment when absent. */
  baseUrl?: string | undefined;
  /** Of one attempt. 30,000 when absent. */
  timeoutMs?: number | undefined;
  /** Retries after the first attempt. 3 when absent; 0 switches them off. */
  maxRetries?: number | undefined;
  /** In place of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** What one call can set. */
export interface RequestOptions {
  /** A write without one gets a new one, the same for all its retries. */
  idempotencyKey?: string | undefined;
  /** An ETag, or a record that this client returned: the write fails with 412 if the record has changed since. */
  ifMatch?: string | object | undefined;
  /** Ends the call, waits and retries included. */
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
}

export interface CsvOptions extends RequestOptions {
  accept: 'text/csv';
}
