import { randomUUID } from 'node:crypto';

export interface RequestHead {
  /** Everything up to and including the empty line. */
  readonly head: string;
  /** The header `X-Amz-Target`, such as `DynamoDB_20120810.GetItem`, or `ses.SendEmail` by its path; empty for others. */
  readonly target: string;
  /** Who signed the request. */
  readonly accessKeyId: string | undefined;
  readonly contentLength: number;
}

/** A request as it came over the wire. */
export interface WireRequest extends RequestHead {
  readonly body: Buffer;
}

/** SES names its operations by method and path. */
const isSendEmail = /^POST \/v2\/email\/outbound-emails /;

const credential = /(?<=\r\nauthorization:[^\r]*Credential=)[^/,\s]+/i;

/** Reads from a request's head what the check needs. Throws for a chunked body, whose length it cannot know. */
export function readHead(head: string): RequestHead {
  if (/\r\ntransfer-encoding:/i.test(head)) throw new Error('Chunked bodies are not supported: send a content-length.');
  return {
    head,
    target: /\r\nx-amz-target: *([^\r]+)/i.exec(head)?.[1] ?? (isSendEmail.test(head) ? 'ses.SendEmail' : ''),
    accessKeyId: credential.exec(head)?.[0],
    contentLength: Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0),
  };
}

/** The same head from another caller. No server here checks signatures. */
export function withAccessKey(head: string, accessKeyId: string): string {
  return head.replace(credential, accessKeyId);
}

const namespaces: { readonly [type: string]: string } = {
  AccessDeniedException: 'com.amazon.coral.service#',
  UnrecognizedClientException: 'com.amazon.coral.service#',
  SerializationException: 'com.amazon.coral.service#',
};

export interface WireError {
  /** The name of the exception. */
  readonly type: string;
  readonly message: string;
  /** Further fields of the exception. */
  readonly fields?: object;
}

/** The response with an error, in the form of the service that `target` names. */
export function errorResponse(target: string, { type, message, fields }: WireError): Buffer {
  if (target.startsWith('ses.'))
    return response('403 Forbidden', JSON.stringify({ message }), [`x-amzn-errortype: ${type}`]);
  const isQueue = target.startsWith('AmazonSQS.');
  const namespace = namespaces[type] ?? (isQueue ? 'com.amazonaws.sqs#' : 'com.amazonaws.dynamodb.v20120810#');
  const text = namespace === 'com.amazon.coral.service#' ? { Message: message } : { message };
  const body = JSON.stringify({ __type: `${namespace}${type}`, ...text, ...fields });
  const isForbidden = isQueue && type === 'AccessDeniedException';
  return response(isForbidden ? '403 Forbidden' : '400 Bad Request', body);
}

/** The response of a call that succeeds. */
export const jsonResponse = (body: object): Buffer => response('200 OK', JSON.stringify(body));

function response(status: string, body: string, headers: readonly string[] = []): Buffer {
  const lines = [
    `HTTP/1.1 ${status}`,
    'content-type: application/x-amz-json-1.0',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-amzn-requestid: ${randomUUID()}`,
    ...headers,
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
