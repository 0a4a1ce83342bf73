import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import { listenOn } from '../listen.ts';
import type { Schedules } from './schedules.ts';

export interface ClockServer {
  readonly endpoint: string;
  stop(): void;
}

const turn = z.strictObject({ to: z.iso.datetime({ offset: true }) });

/**
 * Lets other processes turn the clock of the schedules: `POST { "to": <time> }` responds with what was started, and `GET`
 * with the time.
 */
export async function startClockServer(schedules: Schedules): Promise<ClockServer> {
  const respond = async (request: IncomingMessage): Promise<object> => {
    if (request.method === 'GET') return { now: schedules.now().toISOString() };
    // Only JSON, which no page of another origin may send without asking.
    if (request.method !== 'POST' || !request.headers['content-type']?.startsWith('application/json'))
      throw new Error('Send a POST with JSON such as { "to": "2026-05-01T03:00:00Z" }.');
    const { to } = turn.parse(await json(request));
    return { runs: await schedules.turnTo(new Date(to)) };
  };
  const server = createServer(async (request, response) => {
    let body: object;
    try {
      body = await respond(request);
    } catch (error) {
      response.statusCode = 400;
      body = { error: error instanceof Error ? error.message : String(error) };
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  const port = await listenOn(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
