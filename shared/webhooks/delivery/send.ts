import type { IncomingMessage, RequestOptions } from 'node:http';
import https from 'node:https';
import { checkedLookup, literalAddressOf, type Resolve, refuseBlocked } from '../endpoints/address-check.ts';
import { isExtraHost, urlRefusal } from '../endpoints/url-rules.ts';

export interface Posting {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** `error` is null if a whole response came in time, whatever its status. */
export interface Posted {
  status: number | null;
  body: string | null;
  retryAfter: string | undefined;
  error: string | null;
}

export interface PostingRules {
  extraHosts: ReadonlySet<string>;
  deadlineMilliseconds: number;
  resolve?: Resolve;
}

const maxBodyBytes = 20 * 1024;

const readBeginning = async (response: AsyncIterable<Uint8Array>, into: Uint8Array[]): Promise<void> => {
  let bytes = 0;
  for await (const chunk of response) {
    into.push(chunk.subarray(0, maxBodyBytes - bytes));
    bytes += chunk.length;
    if (bytes >= maxBodyBytes) return;
  }
};

const textOf = (chunks: readonly Uint8Array[]): string => {
  const text = Buffer.concat(chunks).toString('utf8');
  return Buffer.byteLength(text) <= maxBodyBytes
    ? text
    : Buffer.from(text).subarray(0, maxBodyBytes).toString('utf8').replace(/�+$/, '');
};

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  // For a host with several addresses the error itself has no message.
  return error.message || (error instanceof AggregateError ? messageOf(error.errors[0]) : error.name);
};

/** Never throws: failures are in the result. docs/behavior.md#attempts, docs/behavior.md#endpoint-addresses */
export const post = async ({ url, headers, body }: Posting, rules: PostingRules): Promise<Posted> => {
  const signal = AbortSignal.timeout(rules.deadlineMilliseconds);
  const chunks: Uint8Array[] = [];
  let response: IncomingMessage | undefined;
  let error: string | null = null;
  try {
    response = await request(url, headers, body, signal, rules);
    await readBeginning(response, chunks);
  } catch (cause) {
    error = signal.aborted
      ? `no complete response within ${rules.deadlineMilliseconds / 1000} seconds`
      : messageOf(cause).slice(0, 500);
  }
  return {
    status: response?.statusCode ?? null,
    body: response ? textOf(chunks) : null,
    retryAfter: response?.headers['retry-after'],
    error,
  };
};

const request = async (
  text: string,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
  { extraHosts, resolve }: PostingRules,
): Promise<IncomingMessage> => {
  // Again, because the deploy-time list may have changed since the endpoint was created.
  const refusal = urlRefusal(text, extraHosts);
  if (refusal) throw new Error(`the address ${refusal}`);
  const url = new URL(text);
  const allowLoopback = isExtraHost(url, extraHosts);
  const literal = literalAddressOf(url);
  // Node looks up no literal address, so it is checked here.
  if (literal) refuseBlocked([literal], allowLoopback);
  const bytes = Buffer.from(body);
  const options: RequestOptions = {
    method: 'POST',
    headers: { ...headers, 'content-length': bytes.length },
    // A kept connection may have died while the Lambda was frozen.
    agent: false,
    lookup: checkedLookup(allowLoopback, resolve),
    signal,
  };
  // Loaded on demand: importing node:http costs 25 ms of a cold start.
  const client = url.protocol === 'http:' ? process.getBuiltinModule('node:http') : https;
  return new Promise((fulfil, reject) => {
    // Aborting the signal does not end a request that is still resolving the host name.
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    client
      .request(url, options, fulfil)
      .on('error', reject)
      .on('close', () => reject(new Error('the connection was closed without a response')))
      .end(bytes);
  });
};
