import { once } from 'node:events';
import { createServer, request } from 'node:http';

/** Where requests are passed on to: an API of the emulator, which it knows by the Host header. */
interface Behind {
  port: number;
  host: string;
}

export interface Front {
  readonly url: string;
  /** From now on requests go there. */
  leadTo: (behind: Behind) => void;
  stop: () => void;
}

/** Listens on an address that browsers and the product take for the API's, whatever the emulator calls it. */
export const startFront = async (): Promise<Front> => {
  let behind: Behind | undefined;
  const server = createServer((incoming, response) => {
    if (!behind) return void response.writeHead(503).end();
    const { port, host } = behind;
    const outgoing = request(
      { host: '127.0.0.1', port, method: incoming.method, path: incoming.url, headers: { ...incoming.headers, host } },
      (received) => {
        const { location, ...headers } = received.headers;
        // Functions are told that the emulator's sign-in pages have TLS.
        const next = location?.replace(`https://127.0.0.1:${port}`, `http://127.0.0.1:${port}`);
        response.writeHead(received.statusCode ?? 502, { ...headers, ...(next && { location: next }) });
        received.pipe(response);
      },
    );
    outgoing.on('error', () => response.writeHead(502).end());
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The operating system gave no port');
  return {
    url: `http://localhost:${address.port}`,
    leadTo: (next) => {
      behind = next;
    },
    stop: () => server.close(),
  };
};
