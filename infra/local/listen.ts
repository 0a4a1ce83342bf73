import { once } from 'node:events';
import { Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';

/** Longer than a busy client takes between two requests: one on a connection that is just being closed fails. */
export const keepAliveTimeout = 75_000;

/** Has a server listen on this machine alone. @returns its port, which the operating system chooses */
export async function listenOn(server: Server): Promise<number> {
  if (server instanceof HttpServer) server.keepAliveTimeout = keepAliveTimeout;
  server.listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The operating system gave no port.');
  return address.port;
}

/** A port that nothing listens on at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOn(server);
  server.close();
  await once(server, 'close');
  return port;
}
