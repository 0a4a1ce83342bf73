import { once } from 'node:events';
import { createServer } from 'node:http';

/** An automation platform's own web site, and what browsers brought back to it. */
export interface FakePlatform {
  /** On 127.0.0.1, which is another site than the application's `localhost`. */
  origin: string;
  returnAddress: string;
  /** The parameters that browsers came back with, oldest first. */
  returned: URLSearchParams[];
  /** Shows a page at a path. */
  show: (path: string, html: string) => void;
  stop: () => void;
}

/** Listens on a free port of this machine. */
export const startFakePlatform = async (): Promise<FakePlatform> => {
  const pages = new Map<string, string>();
  const returned: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (pathname === '/return') returned.push(searchParams);
    const page = pathname === '/return' ? '<h1>Thank you</h1>' : pages.get(pathname);
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(`<!doctype html><title>Platform</title>${page ?? ''}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  return {
    origin,
    returnAddress: `${origin}/return`,
    returned,
    show: (path, html) => pages.set(path, html),
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
