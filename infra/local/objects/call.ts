import type { IncomingHttpHeaders } from 'node:http';

/** A request to the object store, by path: `/<bucket>/<key>`. */
export interface ObjectCall {
  readonly method: string;
  /** As it came, percent-encoded. */
  readonly path: string;
  readonly bucket: string;
  /** Empty for the bucket itself. */
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

export const readCall = (method: string, url: string, headers: IncomingHttpHeaders): ObjectCall => {
  const [path = '/', search = ''] = url.split('?');
  const [bucket = '', ...rest] = path.slice(1).split('/');
  const key = decodeURIComponent(rest.join('/'));
  return { method, path, bucket, key, query: new URLSearchParams(search), headers };
};

/** What the object store heeds; all else of S3, such as versions, tags and retention, would be ignored in silence. */
const heeded = /^(x-id|uploads|uploadId|partNumber|response-.+|X-Amz-.+)$/i;
const unheeded = [
  ...['if-none-match', 'if-match', 'x-amz-acl', 'x-amz-copy-source', 'x-amz-tagging', 'x-amz-server-side-encryption'],
  ...['x-amz-website-redirect-location', 'x-amz-object-lock-mode'],
];

/** The permission that a function needs for a call, such as `GetObject`; undefined where functions cannot make it here. */
export const operationOf = ({ method, key, query, headers }: ObjectCall): string | undefined => {
  if (![...query.keys()].every((name) => heeded.test(name))) return undefined;
  if (key === '') return undefined;
  if (method === 'GET' || method === 'HEAD') return 'GetObject';
  if (method === 'DELETE') return query.has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject';
  if (unheeded.some((name) => headers[name] !== undefined)) return undefined;
  if (method === 'PUT') return 'PutObject';
  return method === 'POST' && (query.has('uploads') || query.has('uploadId')) ? 'PutObject' : undefined;
};
