import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

type Encoding = 'br' | 'gzip' | 'identity';

/** Caches may serve the previous deployment's document for this long. */
const maxAgeSeconds = 300;
const forever = 'public, max-age=31536000, immutable';

// Higher quality takes longer than the function's start.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const accepts = (acceptEncoding: string, encoding: Encoding): boolean =>
  acceptEncoding
    .toLowerCase()
    .split(',')
    .map((entry) => entry.trim())
    .some((entry) => entry === encoding || (entry.startsWith(`${encoding};`) && !/;\s*q=0(\.0*)?$/.test(entry)));

export class CacheableDocument {
  readonly #text: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #hash: string;
  readonly #cacheControl: string;
  readonly #compressed = new Map<Encoding, string>();

  /** `brotli`: the text compressed before, as base64. `isImmutable`: the address changes with the text. */
  constructor(
    text: string,
    headers: Readonly<Record<string, string>>,
    { brotli, isImmutable = false }: { brotli?: string; isImmutable?: boolean } = {},
  ) {
    if (brotli) this.#compressed.set('br', brotli);
    this.#cacheControl = isImmutable ? forever : `public, max-age=${maxAgeSeconds}`;
    this.#text = text;
    this.#headers = headers;
    this.#hash = createHash('sha256').update(text).digest('base64url').slice(0, 27);
  }

  /** 304 if the caller has it already. */
  respond(request: Readonly<Record<string, string | undefined>>): APIGatewayProxyStructuredResultV2 {
    const acceptEncoding = request['accept-encoding'] ?? '';
    const encoding: Encoding = (['br', 'gzip'] as const).find((one) => accepts(acceptEncoding, one)) ?? 'identity';
    const headers = {
      'cache-control': this.#cacheControl,
      vary: 'accept-encoding',
      etag: this.#etag(encoding),
    };
    if (this.#isKnown(request['if-none-match'])) return { statusCode: 304, headers };
    const full = { ...headers, ...this.#headers };
    if (encoding === 'identity') return { statusCode: 200, headers: full, body: this.#text };
    return {
      statusCode: 200,
      headers: { ...full, 'content-encoding': encoding },
      body: this.#compress(encoding),
      isBase64Encoded: true,
    };
  }

  #etag(encoding: Encoding): string {
    return `"${this.#hash}${encoding === 'identity' ? '' : `-${encoding}`}"`;
  }

  #isKnown(ifNoneMatch = ''): boolean {
    const known = ifNoneMatch.split(',').map((entry) => entry.trim().replace(/^W\//, ''));
    return known.includes('*') || (['br', 'gzip', 'identity'] as const).some((one) => known.includes(this.#etag(one)));
  }

  #compress(encoding: 'br' | 'gzip'): string {
    const made = this.#compressed.get(encoding);
    if (made) return made;
    const bytes = encoding === 'br' ? brotliCompressSync(this.#text, brotliOptions) : gzipSync(this.#text);
    const body = bytes.toString('base64');
    this.#compressed.set(encoding, body);
    return body;
  }
}
