import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type ObjectRefusal, refusal, signatureMismatch } from './refusal.ts';

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** @param scope such as `20260501/us-east-1/s3/aws4_request` */
const sign = (secretAccessKey: string, scope: string, text: string): string => {
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  return hmac(key, text).toString('hex');
};

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Whether a text was signed with a secret (AWS Signature Version 4). @param credential access key and scope */
export const isSigned = (
  text: string,
  { signature, credential, secretAccessKey }: { signature: string; credential: string; secretAccessKey: string },
): boolean => isEqual(sign(secretAccessKey, credential.slice(credential.indexOf('/') + 1), text), signature);

export interface PresignedRequest {
  readonly method: string;
  /** As it came, percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const canonicalRequest = ({ method, path, query, headers }: PresignedRequest): string => {
  const signedHeaders = query.get('X-Amz-SignedHeaders') ?? '';
  const pairs = [...query].filter(([name]) => name !== 'X-Amz-Signature');
  return [
    method,
    path,
    pairs
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join('&'),
    ...signedHeaders.split(';').map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
    '',
    signedHeaders,
    query.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD',
  ].join('\n');
};

const longestSeconds = 604_800;

const timeOf = (amzDate: string): number =>
  Date.parse(amzDate.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

/** What S3 refuses of a URL that carries its signature: an expired one, or one that was not signed so. @param now in milliseconds */
export const presignedRefusal = (
  request: PresignedRequest,
  secretAccessKey: string,
  now: number,
): ObjectRefusal | undefined => {
  const of = (name: string): string => request.query.get(`X-Amz-${name}`) ?? '';
  const seconds = Number(of('Expires'));
  if (!(seconds >= 1 && seconds <= longestSeconds))
    return refusal(400, 'AuthorizationQueryParametersError', `X-Amz-Expires must be between 1 and ${longestSeconds}`);
  const signedAt = timeOf(of('Date'));
  if (!(now <= signedAt + seconds * 1000)) return refusal(403, 'AccessDenied', 'Request has expired');
  const credential = of('Credential');
  const hash = createHash('sha256').update(canonicalRequest(request)).digest('hex');
  const text = [of('Algorithm'), of('Date'), credential.slice(credential.indexOf('/') + 1), hash].join('\n');
  return isSigned(text, { signature: of('Signature'), credential, secretAccessKey }) ? undefined : signatureMismatch;
};
