import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type ObjectCall, operationOf, readCall } from './call.ts';
import { formRefusal, type PostForm, readForm } from './post-form.ts';
import { type ObjectRefusal, refusal } from './refusal.ts';
import { presignedRefusal } from './signature.ts';

// A static import of `node:http` would load undici, which the thread of the proxy does without.
const { createServer, request: openRequest } = process.getBuiltinModule('node:http');

/** Somebody whose access key is known. */
export interface ObjectCaller {
  readonly secretAccessKey: string;
  readonly isOperator: boolean;
  /** The message of S3 where the caller lacks the permission. */
  refusalOf(operation: string, bucket: string, key: string, traceHeader: string): string | undefined;
  /** Whether it may know which keys there are. */
  mayList(bucket: string): boolean;
}

interface ObjectServerSettings {
  /** The address of the embedded S3. */
  readonly upstream: () => URL;
  readonly callerOf: (accessKeyId: string) => ObjectCaller | undefined;
}

const anonymous = refusal(403, 'AccessDenied', 'Access Denied');
const unknownKey = refusal(403, 'InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist.');
const notRun = refusal(501, 'NotImplemented', 'The local stack does not run this request of S3.');
const maxFormBytes = 256 * 1024 ** 2;

/**
 * Stands in front of the embedded S3, which lets everybody do everything: refuses requests without a signature, expired or
 * altered signatures, forms that their policy does not allow, and what the role of the caller does not.
 */
export function createObjectServer(settings: ObjectServerSettings): Server {
  return createServer((incoming, response) => {
    respond(incoming, response, settings).catch(() => response.destroy());
  });
}

async function respond(
  incoming: IncomingMessage,
  response: ServerResponse,
  settings: ObjectServerSettings,
): Promise<void> {
  const call = readCall(incoming.method ?? '', incoming.url ?? '/', incoming.headers);
  const isForm = call.method === 'POST' && /^multipart\/form-data/i.test(incoming.headers['content-type'] ?? '');
  if (isForm) return respondToForm(incoming, response, { call, ...settings });
  const caller = callerWith(call, settings);
  const refused = 'code' in caller ? caller : accessRefusal(call, caller);
  if (refused || 'code' in caller) return refuse(response, refused ?? anonymous, incoming);
  await passOn(incoming, response, { call, caller, upstream: settings.upstream() });
}

/** Whoever signed a request, in a header (which is not checked, as with all services here) or in its URL (which is). */
function callerWith(call: ObjectCall, { callerOf }: ObjectServerSettings): ObjectCaller | ObjectRefusal {
  const { authorization = '' } = call.headers;
  const inHeader = /Credential=([^/,\s]+)/.exec(authorization)?.[1];
  const inUrl = call.query.get('X-Amz-Credential')?.split('/')[0];
  const accessKeyId = inHeader ?? inUrl;
  if (accessKeyId === undefined) return anonymous;
  const caller = callerOf(accessKeyId);
  if (!caller) return unknownKey;
  const refused = inHeader === undefined ? presignedRefusal(call, caller.secretAccessKey, Date.now()) : undefined;
  return refused ?? caller;
}

function accessRefusal(call: ObjectCall, caller: ObjectCaller): ObjectRefusal | undefined {
  if (caller.isOperator) return undefined;
  const operation = operationOf(call);
  if (!operation) return notRun;
  const trace = String(call.headers['x-amzn-trace-id'] ?? '');
  const message = caller.refusalOf(operation, call.bucket, call.key, trace);
  return message === undefined ? undefined : refusal(403, 'AccessDenied', message);
}

interface Passing {
  readonly call: ObjectCall;
  readonly caller: ObjectCaller;
  readonly upstream: URL;
}

async function passOn(incoming: IncomingMessage, response: ServerResponse, passing: Passing): Promise<void> {
  const { call, caller, upstream } = passing;
  // The client has been told to continue already.
  const { expect: _expect, ...headers } = incoming.headers;
  const sent = openRequest({ ...addressOf(upstream), path: incoming.url, method: call.method, headers });
  const answered = responseTo(sent);
  const [found] = await Promise.all([answered, pipeline(incoming, sent)]);
  const isRead = call.method === 'GET' || call.method === 'HEAD';
  if (isRead && call.key !== '' && found.statusCode === 404 && !caller.mayList(call.bucket)) {
    found.resume();
    return refuse(response, anonymous);
  }
  response.writeHead(found.statusCode ?? 500, { ...found.headers, ...overrides(call, found) });
  await pipeline(found, response);
}

/** With the path as it came: a URL would resolve `..`, and lead to another key than the one that was checked. */
const addressOf = ({ hostname, port }: URL) => ({ hostname, port });

const responseTo = (sent: ReturnType<typeof openRequest>): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => sent.once('response', resolve).once('error', reject));

/** The headers that a URL asks for, such as `response-content-disposition`. */
const overrides = ({ query }: ObjectCall, { statusCode = 500 }: IncomingMessage): OutgoingHttpHeaders =>
  statusCode >= 300
    ? {}
    : Object.fromEntries(
        [...query].flatMap(([name, value]) => (name.startsWith('response-') ? [[name.slice(9), value]] : [])),
      );

const bodyOf = async (incoming: IncomingMessage): Promise<Buffer | undefined> => {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of incoming) {
    bytes += part.length;
    if (bytes > maxFormBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
};

async function respondToForm(
  incoming: IncomingMessage,
  response: ServerResponse,
  { call, upstream, callerOf }: ObjectServerSettings & { call: ObjectCall },
): Promise<void> {
  const body = await bodyOf(incoming);
  if (!body) return refuse(response, refusal(400, 'EntityTooLarge', `The local stack takes ${maxFormBytes} bytes.`));
  const form = await readForm(body, incoming.headers['content-type'] ?? '');
  if ('code' in form) return refuse(response, form);
  const { bucket } = call;
  const key = form.fields.get('key') ?? '';
  const accessKeyId = form.fields.get('x-amz-credential')?.split('/')[0];
  const caller = accessKeyId === undefined ? undefined : callerOf(accessKeyId);
  if (!caller) return refuse(response, accessKeyId === undefined ? anonymous : unknownKey);
  const { secretAccessKey } = caller;
  const refused = formRefusal(form, { bucket, secretAccessKey, now: Date.now() });
  if (refused) return refuse(response, refused);
  const message = caller.refusalOf('PutObject', bucket, key, '');
  if (message !== undefined) return refuse(response, refusal(403, 'AccessDenied', message));
  const etag = await store(form, { bucket, key, upstream: upstream() });
  respondAsWished(response, form, { bucket, key, etag });
}

async function store(
  { fields, file }: PostForm,
  { bucket, key, upstream }: { bucket: string; key: string; upstream: URL },
): Promise<string> {
  const path = `/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
  const headers = {
    'content-type': fields.get('content-type') ?? 'binary/octet-stream',
    'content-length': file.length,
  };
  const sent = openRequest({ ...addressOf(upstream), path, method: 'PUT', headers });
  const answered = responseTo(sent);
  sent.end(file);
  const stored = await answered;
  stored.resume();
  if (stored.statusCode !== 200) throw new Error(`The embedded S3 stored nothing: ${stored.statusCode}`);
  return stored.headers.etag ?? '';
}

function respondAsWished(
  response: ServerResponse,
  { fields }: PostForm,
  stored: { bucket: string; key: string; etag: string },
): void {
  const redirect = fields.get('success_action_redirect');
  if (redirect && URL.canParse(redirect)) {
    const location = new URL(redirect);
    for (const [name, value] of Object.entries(stored)) location.searchParams.set(name, value);
    response.writeHead(303, { location: location.href }).end();
    return;
  }
  const wished = Number(fields.get('success_action_status'));
  response.writeHead(wished === 200 || wished === 201 ? wished : 204, { etag: stored.etag }).end();
}

function refuse(response: ServerResponse, { status, code, message }: ObjectRefusal, incoming?: IncomingMessage): void {
  // Who is still sending a body would otherwise see a broken connection and no error.
  incoming?.resume();
  const escaped = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escaped}</Message></Error>`;
  response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
}
