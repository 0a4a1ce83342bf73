import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { RequestTooLargeError } from '../lambda/function.ts';
import { InvocationError } from '../lambda/runtime.ts';
import { keepAliveTimeout } from '../listen.ts';
import { type CorsConfiguration, preflightResponse, withCorsHeaders } from './cors.ts';
import { splitUrl, toEvent } from './event.ts';
import { messageResponse, type ResponseBody, toResponse } from './response.ts';
import { createRouter, type Route } from './routes.ts';
import { createThrottle, type Throttling } from './throttle.ts';

/** `onWaiting` is told when the invocation has to wait for others, and returns what to call when it begins. */
export type Invoke = (event: unknown, onWaiting?: () => () => void) => Promise<unknown>;

export interface Gateway {
  readonly port: number;
  /** From now on requests go to these routes; before, they wait. */
  serve(routes: readonly Route<Invoke>[], cors: CorsConfiguration | undefined, more?: More): void;
  /** Takes no new connections, lets requests in flight finish for up to five seconds, and closes. */
  stop(): Promise<void>;
}

const bodyLimitBytes = 10 * 1024 * 1024;
/** A caller that sends too much reads the response only after it has sent all: up to this much is taken and dropped. */
const refusalLimitBytes = 8 * bodyLimitBytes;
const drainSeconds = 5;
/** API Gateway's limit for the request line and the values of all headers together. */
const headerLimitBytes = 10_240;
/** The names of headers, which API Gateway does not count, count here too. */
const parsedLimitBytes = 8 * headerLimitBytes;
/** How long API Gateway waits for a function. */
const integrationSeconds = 30;

/** A page of the stack itself; undefined where a route of the template responds. */
type OwnPage = (request: { method: string; path: string; accept: string }) => ResponseBody | undefined;

interface More {
  readonly throttling?: Throttling | undefined;
  readonly ownPage?: OwnPage;
}

interface GatewaySettings {
  readonly port: number;
  readonly warn: (line: string) => void;
  /** How long to wait for a function, where it is not as long as API Gateway does. */
  readonly integrationMilliseconds?: number;
}

interface Serving {
  readonly find: ReturnType<typeof createRouter<Invoke>>;
  readonly cors: CorsConfiguration | undefined;
  /** Whether a request is let through. */
  readonly admit: () => boolean;
  readonly ownPage: OwnPage;
}

/** Starts an HTTP API (payload format 2.0) on 127.0.0.1; port 0 lets the operating system choose. */
export async function startGateway(settings: GatewaySettings): Promise<Gateway> {
  const { integrationMilliseconds = integrationSeconds * 1000 } = settings;
  const { promise: ready, resolve: serve } = Promise.withResolvers<Serving>();
  const server = createServer({ maxHeaderSize: parsedLimitBytes, keepAliveTimeout }, async (request, response) => {
    try {
      const serving = await ready;
      const result = await respondToRequest(serving, request, portOf(server), settings.warn);
      if (result) send(request, response, result);
    } catch (error) {
      // Such as a header value that HTTP does not allow.
      settings.warn(`The gateway could not respond to ${request.method} ${request.url}: ${error}`);
      if (response.headersSent) response.destroy();
      else send(request, response, messageResponse(500, 'Internal Server Error'));
    }
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
    const body = JSON.stringify({ message: status.slice(4) });
    const head = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`;
    socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`);
  });
  server.listen({ port: settings.port, host: '127.0.0.1', backlog: 4096 });
  await once(server, 'listening');
  return {
    port: portOf(server),
    serve: (routes, cors, { throttling, ownPage = () => undefined } = {}) => {
      const timed = routes.map(({ key, target }) => ({ key, target: withTimeout(target, integrationMilliseconds) }));
      const admit = throttling ? createThrottle(throttling, () => performance.now()) : () => true;
      serve({ find: createRouter(timed), cors, admit, ownPage });
    },
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      await Promise.race([closed, sleep(drainSeconds * 1000, undefined, { ref: false })]);
      server.closeAllConnections();
    },
  };
}

/**
 * Gives a function up, which goes on by itself, where API Gateway would. The time that an invocation waits for others does
 * not count: Lambda would run it in another instance.
 */
function withTimeout(target: Invoke, milliseconds: number): Invoke {
  return async (event) => {
    const { promise: expired, reject } = Promise.withResolvers<never>();
    const problem = `no response within ${milliseconds / 1000} seconds`;
    const startTimer = () => setTimeout(() => reject(new InvocationError(problem, true)), milliseconds).unref();
    let timer = startTimer();
    const onWaiting = () => {
      clearTimeout(timer);
      return () => {
        timer = startTimer();
      };
    };
    try {
      return await Promise.race([target(event, onWaiting), expired]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The bytes that API Gateway's limit is about. Node hands over a character for each byte. */
const headerBytes = ({ method = '', url = '', httpVersion, rawHeaders }: IncomingMessage): number =>
  rawHeaders.reduce(
    (bytes, text, at) => bytes + (at % 2 === 0 ? 0 : text.length),
    `${method} ${url} HTTP/${httpVersion}`.length,
  );

async function respondToRequest(
  { find, cors, admit, ownPage }: Serving,
  request: IncomingMessage,
  port: number,
  warn: (line: string) => void,
): Promise<ResponseBody | undefined> {
  const { method = 'GET', url = '/', headers } = request;
  const own = ownPage({ method, path: splitUrl(url).path, accept: headers.accept ?? '' });
  if (own) return own;
  const preflight = preflightResponse(cors, request.method, request.headers);
  if (preflight) return preflight;
  if (!admit()) return messageResponse(429, 'Too Many Requests');
  const result = await respondFromRoute(find, request, port, warn);
  return result && withCorsHeaders(cors, request.headers, result);
}

async function respondFromRoute(
  find: Serving['find'],
  request: IncomingMessage,
  port: number,
  warn: (line: string) => void,
): Promise<ResponseBody | undefined> {
  const { method = 'GET', url = '/' } = request;
  if (headerBytes(request) > headerLimitBytes) return messageResponse(431, 'Request Header Fields Too Large');
  const match = find(method, splitUrl(url).path);
  if (!match) return messageResponse(404, 'Not Found');
  const body = await readBody(request);
  if (body === 'aborted') return undefined;
  if (body === 'too large') return messageResponse(413, 'Request Entity Too Large');
  const event = toEvent({
    method,
    url,
    rawHeaders: request.rawHeaders,
    body,
    sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
    port,
    routeKey: match.route.key,
    pathParameters: match.pathParameters,
  });
  try {
    return toResponse(await match.route.target(event));
  } catch (error) {
    warn(`${method} ${splitUrl(url).path}: ${error instanceof Error ? error.message : error}`);
    if (error instanceof RequestTooLargeError) return messageResponse(413, 'Request Entity Too Large');
    const timedOut = error instanceof InvocationError && error.timedOut;
    return timedOut ? messageResponse(503, 'Service Unavailable') : messageResponse(500, 'Internal Server Error');
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer | 'too large' | 'aborted'> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      length += chunk.length;
      if (length > refusalLimitBytes) return 'too large';
      if (length > bodyLimitBytes) chunks.length = 0;
      else chunks.push(chunk);
    }
  } catch {
    return 'aborted';
  }
  return length > bodyLimitBytes ? 'too large' : Buffer.concat(chunks);
}

function send(request: IncomingMessage, response: ServerResponse, result: ResponseBody): void {
  // The body of a refused request was not read to its end: the connection cannot carry another one.
  if (!request.complete) response.setHeader('connection', 'close');
  const isBodiless = result.status === 204 || result.status === 304;
  response.writeHead(result.status, {
    ...result.headers,
    ...(!isBodiless && { 'content-length': result.body.length }),
  });
  response.end(isBodiless ? undefined : result.body);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
