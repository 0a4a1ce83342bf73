import { createServer, connect as openConnection, type Server, type Socket } from 'node:net';
import { connect as openSecureConnection } from 'node:tls';
import { onResponse } from './response-end.ts';
import { readHead, type WireRequest, withAccessKey } from './wire.ts';

/** What becomes of a request. */
export interface Verdict {
  /** Sent to the client; the server does not get to see the request. */
  readonly response?: Buffer;
  /** Called when the server has responded to the request that was passed on, or never will. */
  readonly done?: () => void;
}

export interface RelaySettings {
  /** The address of the server behind this one. */
  readonly upstream: () => URL;
  /** The access key that all requests show to the server, which may keep the tables of each key apart. */
  readonly accessKeyId: string;
  readonly decide: (request: WireRequest) => Verdict | Promise<Verdict>;
}

/**
 * A server that passes requests of HTTP/1.1 on to another one, unless `decide` responds to them. Each connection has one of
 * its own to the server, so that responses need no look at all: that takes a quarter of the time of an HTTP proxy.
 */
export function createRelay(settings: RelaySettings): Server {
  return createServer({ noDelay: true }, (client) => new Connection(client, settings).open());
}

const maxHeadBytes = 64 * 1024;

class Connection {
  readonly #client: Socket;
  readonly #settings: RelaySettings;
  #server: Socket | undefined;
  #received: Buffer = Buffer.alloc(0);
  #busy = false;

  constructor(client: Socket, settings: RelaySettings) {
    this.#client = client;
    this.#settings = settings;
  }

  open(): void {
    this.#client.on('data', (chunk) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      if (!this.#busy) void this.#work();
    });
    // A connection that breaks on one side is closed on the other; the SDK opens another one and tries again.
    this.#client.on('error', () => {}).on('close', () => this.#server?.destroy());
  }

  /** Returns or passes on every request that has arrived whole. */
  async #work(): Promise<void> {
    this.#busy = true;
    try {
      for (let request = this.#nextRequest(); request; request = this.#nextRequest()) {
        const decided = this.#settings.decide(request);
        const { response, done } = decided instanceof Promise ? await decided : decided;
        if (this.#client.destroyed) done?.();
        else if (response) this.#client.write(response);
        else this.#passOn(request, done);
      }
    } catch {
      this.#client.destroy();
    }
    this.#busy = false;
  }

  #nextRequest(): WireRequest | undefined {
    const headLength = this.#received.indexOf('\r\n\r\n') + 4;
    if (headLength < 4) {
      if (this.#received.length > maxHeadBytes) throw new Error('The head of the request is too long.');
      return undefined;
    }
    const head = readHead(this.#received.toString('latin1', 0, headLength));
    const length = headLength + head.contentLength;
    if (this.#received.length < length) return undefined;
    const body = this.#received.subarray(headLength, length);
    this.#received = this.#received.subarray(length);
    return { ...head, body };
  }

  #passOn({ head, body }: WireRequest, done: (() => void) | undefined): void {
    this.#server ??= this.#connect();
    if (done) onResponse(this.#server, done);
    this.#server.cork();
    this.#server.write(withAccessKey(head, this.#settings.accessKeyId), 'latin1');
    this.#server.write(body);
    this.#server.uncork();
  }

  #connect(): Socket {
    const { protocol, hostname: host, port } = this.#settings.upstream();
    const server =
      protocol === 'https:'
        ? openSecureConnection({ host, port: Number(port || 443), servername: host })
        : openConnection({ host, port: Number(port || 80) });
    server.setNoDelay(true);
    server.pipe(this.#client);
    server.on('error', () => {}).on('close', () => this.#client.destroy());
    return server;
  }
}
