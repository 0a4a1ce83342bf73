import { createServer, request } from 'node:http';
import { listenOn } from '../../infra/local/listen.ts';

/** An API of the emulator, which finds it by the Host header. */
interface Upstream {
  port: number;
  host: string;
}

export interface ReverseProxy {
  readonly url: string;
  setUpstream: (upstream: Upstream) => void;
  stop: () => void;
}

/** Starts the address of the API and the web application, which stays the same whatever is deployed. */
export const startReverseProxy = async (): Promise<ReverseProxy> => {
  let upstream: Upstream | undefined;
  const server = createServer((incoming, response) => {
    if (!upstream) return void response.writeHead(503).end();
    const { port, host } = upstream;
    const outgoing = request(
      { host: '127.0.0.1', port, method: incoming.method, path: incoming.url, headers: { ...incoming.headers, host } },
      (received) => {
        const { location, ...headers } = received.headers;
        // The product believes that the emulator's sign-in pages have TLS: see reroute.cjs.
        const next = location?.replace(`https://127.0.0.1:${port}`, `http://127.0.0.1:${port}`);
        response.writeHead(received.statusCode ?? 502, { ...headers, ...(next && { location: next }) });
        received.pipe(response);
      },
    );
    outgoing.on('error', () => response.writeHead(502).end());
    incoming.pipe(outgoing);
  });
  const port = await listenOn(server);
  return {
    url: `http://localhost:${port}`,
    setUpstream: (next) => {
      upstream = next;
    },
    stop: () => server.close(),
  };
};
