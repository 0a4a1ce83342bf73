import { Hash } from '@smithy/core/serde';
import { HttpRequest } from '@smithy/core/transport';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { SignatureV4 } from '@smithy/signature-v4';
import { environmentCredentials } from './environment-credentials.ts';
import { requestHandler } from './request-handler.ts';
import { retryWait } from './retry-wait.ts';

// The signer and the connections of the SDK without its clients, which take most of the time of a start: for the functions
// that visitors wait for. docs/decisions/redirects.md

/** The three services of AWS that a visitor's request calls, by the names of their hosts. */
const services = {
  dynamodb: { variable: 'AWS_ENDPOINT_URL_DYNAMODB', target: 'DynamoDB_20120810' },
  sqs: { variable: 'AWS_ENDPOINT_URL_SQS', target: 'AmazonSQS' },
  secretsmanager: { variable: 'AWS_ENDPOINT_URL_SECRETS_MANAGER', target: 'secretsmanager' },
} as const;

/** An error response, in the shape of the SDK's errors, so that the same code decides on retries. */
class CallError extends Error {
  readonly $metadata: { readonly httpStatusCode: number };
  constructor(name: string, message: string, httpStatusCode: number) {
    super(message);
    this.name = name;
    this.$metadata = { httpStatusCode };
  }
}

export const connections = new NodeHttpHandler(requestHandler);
const signers = new Map<string, SignatureV4>();

const signerOf = (service: string, region: string): SignatureV4 => {
  const known = signers.get(service);
  if (known) return known;
  const sha256 = Hash.bind(null, 'sha256');
  const signer = new SignatureV4({
    service,
    region,
    sha256,
    credentials: environmentCredentials,
    applyChecksum: false,
  });
  signers.set(service, signer);
  return signer;
};

const errorOf = (text: string, statusCode: number): CallError => {
  let said: { __type?: unknown; message?: unknown; Message?: unknown } = {};
  try {
    said = Object(JSON.parse(text));
  } catch {
    // A proxy’s page in place of JSON.
  }
  const name =
    String(said.__type ?? 'UnknownError')
      .split('#')
      .at(-1) ?? '';
  return new CallError(name, String(said.message ?? said.Message ?? `Status ${statusCode}`), statusCode);
};

const callOnce = async (service: keyof typeof services, action: string, body: string): Promise<unknown> => {
  const { variable, target } = services[service];
  const { AWS_REGION: region = '', AWS_ENDPOINT_URL } = process.env;
  const { protocol, hostname, port, host, pathname } = new URL(
    process.env[variable] ?? AWS_ENDPOINT_URL ?? `https://${service}.${region}.amazonaws.com`,
  );
  const request = new HttpRequest({
    method: 'POST',
    protocol,
    hostname,
    path: pathname,
    body,
    headers: {
      host,
      'content-type': service === 'secretsmanager' ? 'application/x-amz-json-1.1' : 'application/x-amz-json-1.0',
      'content-length': String(Buffer.byteLength(body)),
      'x-amz-target': `${target}.${action}`,
    },
    ...(port && { port: Number(port) }),
  });
  const signed = HttpRequest.clone(await signerOf(service, region).sign(request));
  const { response } = await connections.handle(signed);
  const parts: Buffer[] = [];
  for await (const part of response.body) parts.push(part);
  const text = Buffer.concat(parts).toString();
  if (response.statusCode >= 300) throw errorOf(text, response.statusCode);
  return JSON.parse(text);
};

const maxAttempts = 5;

/** A refusal is not retried here; callers retry throttling until their own deadline. */
const isFinal = (error: unknown): boolean => error instanceof CallError && error.$metadata.httpStatusCode < 500;

/** Calls an action of a service in JSON. Retries failures of the service and the network. Throws CallError for refusals. */
export const signedCall = async (service: keyof typeof services, action: string, input: object): Promise<unknown> => {
  const body = JSON.stringify(input);
  for (let attempt = 1; ; attempt++) {
    try {
      return await callOnce(service, action, body);
    } catch (error) {
      if (attempt === maxAttempts || isFinal(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryWait(attempt - 1)));
    }
  }
};
