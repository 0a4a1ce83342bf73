import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookEvent } from '../../shared/client/webhook-event.ts';
import { verifyWebhook } from '../../shared/client/webhooks.ts';

/** A webhook whose signature was right. */
interface Delivered {
  eventId: string;
  type: string;
  recordId: string;
  /** By the clock of `performance.now()`. */
  atMilliseconds: number;
}

export interface Receiver {
  /** Where the webhooks go. */
  url: string;
  delivered: readonly Delivered[];
  /** Webhooks whose signature was wrong: they were refused with 400. */
  wrongSignatures: () => number;
  /** Checks with this secret from now on. The API returns it when the endpoint is created. */
  trust: (secret: string) => void;
  /** True when no more than `missing` of `wanted` (`<type> <record id>`) are to come within some seconds. */
  waitFor: (wanted: ReadonlySet<string>, seconds: number, missing?: number) => Promise<boolean>;
  stop: () => void;
}

/** What a delivery is looked up by. */
export const deliveryName = ({ type, recordId }: Pick<Delivered, 'type' | 'recordId'>): string => `${type} ${recordId}`;

/** Listens on a free port of this machine for webhooks, as an integrator's server would, and verifies each of them. */
export const startReceiver = async (): Promise<Receiver> => {
  let secret: string | undefined;
  let wrong = 0;
  const delivered: Delivered[] = [];

  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const atMilliseconds = performance.now();
    const body = await text(request);
    if (secret === undefined) {
      // Too early: what cannot be verified is not taken, and comes again.
      response.writeHead(503).end();
      return;
    }
    let event: WebhookEvent;
    try {
      event = verifyWebhook(body, request.headers, secret);
    } catch {
      wrong += 1;
      response.writeHead(400).end();
      return;
    }
    const { id, type } = event;
    // A test is about its endpoint.
    const recordId = String(event.type === 'webhook.test' ? event.data.webhookId : event.data.id);
    // Delivery is at least once, with the same id.
    if (!delivered.some(({ eventId }) => eventId === id))
      delivered.push({ eventId: id, type, recordId, atMilliseconds });
    response.writeHead(204).end();
  };

  const server = createServer((request, response) => void receive(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    delivered,
    wrongSignatures: () => wrong,
    trust: (given) => {
      secret = given;
    },
    waitFor: async (wanted, seconds, missing = 0) => {
      const deadline = performance.now() + seconds * 1000;
      const toCome = () => {
        const arrived = new Set(delivered.map(deliveryName));
        return [...wanted].filter((name) => !arrived.has(name)).length;
      };
      while (toCome() > missing) {
        if (performance.now() > deadline) return false;
        await sleep(5);
      }
      return true;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
