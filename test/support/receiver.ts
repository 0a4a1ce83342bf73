import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

/** One request that a webhook made. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  /** The exact text. */
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields that it expects, and fails where they are not
  event: any;
  /** Counts from 1 for each event and path. */
  attempt: number;
  atMilliseconds: number;
}

/** What the receiver returns; `hang` never responds. */
export type Reply = number | { status: number; headers?: Record<string, string>; body?: string } | 'hang';

export interface ScriptedReceiver {
  url: (path: string) => string;
  /** What has come to a path so far. */
  at: (path: string) => Received[];
  /** What has come to a path, as soon as it is that many; fails after some seconds. */
  waitFor: (path: string, count: number) => Promise<Received[]>;
  /** Ends every connection, those that hang included. */
  hangUp: () => void;
  stop: () => void;
}

const maxWaitMilliseconds = 30_000;

/** Listens on a free port of this machine and responds to every webhook as `script` says; 204 unless it says otherwise. */
export const startScriptedReceiver = async (
  script: (received: Received) => Reply = () => 204,
): Promise<ScriptedReceiver> => {
  const all: Received[] = [];
  const at = (path: string) => all.filter((one) => one.path === path);

  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    const { headers } = request;
    const body = await text(request);
    const before = at(path).filter((one) => one.headers['webhook-id'] === headers['webhook-id']);
    const event: unknown = JSON.parse(body);
    const received = { path, headers, body, event, attempt: before.length + 1, atMilliseconds: performance.now() };
    all.push(received);
    const reply = script(received);
    if (reply === 'hang') return;
    if (typeof reply === 'number') response.writeHead(reply).end();
    else response.writeHead(reply.status, reply.headers).end(reply.body);
  };

  const server = createServer((request, response) => void receive(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    at,
    waitFor: async (path, count) => {
      const deadline = performance.now() + maxWaitMilliseconds;
      while (at(path).length < count) {
        if (performance.now() > deadline)
          throw new Error(`${path} got ${at(path).length} webhooks in ${maxWaitMilliseconds / 1000} s, not ${count}`);
        await sleep(20);
      }
      return at(path);
    },
    hangUp: () => server.closeAllConnections(),
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** The event of a webhook, after the check that an integrator makes of it. Throws when the signature is wrong. */
export const verified = ({ body, headers }: Received, secret: string): unknown =>
  new Webhook(secret).verify(body, {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  });
