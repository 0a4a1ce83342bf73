import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { eventually } from '../support/events.ts';
import type { Api } from '../support/program.ts';
import { type Received, type Reply, type ScriptedReceiver, startScriptedReceiver } from '../support/receiver.ts';

// Over HTTP only, with real receivers. The schedule has three waits of a second: see test/support/running-stack.ts.

export const attemptsOfSchedule = 4;

const scripts = new Map<string, (received: Received) => Reply>();
export let receiver: ScriptedReceiver;

/** An endpoint with a path of its own, for promotional codes unless said otherwise. */
export const makeEndpoint = async (
  api: Api,
  { script, ...fields }: { script?: () => Reply; eventTypes?: string[] } = {},
) => {
  const path = `/${randomUUID()}`;
  if (script) scripts.set(path, script);
  const body = { url: receiver.url(path), eventTypes: ['promotional_code.created'], ...fields };
  const response = await api.post('/webhooks', body);
  expect(response.status, response.text).toBe(200);
  return { path, id: response.body.id as string, secret: response.body.secret as string };
};

export const responded = async (asking: ReturnType<Api['post']>) => {
  const response = await asking;
  expect(response.status, response.text).toBe(200);
  return response.body;
};

export const testOf = (api: Api, webhookId: string, more: object = {}) =>
  responded(api.post('/webhooks/test', { webhookId, ...more }));

export const deliveryOf = async (api: Api, id: string) => (await api.get(`/webhook-deliveries?id=${id}`)).body;

/** The delivery as soon as it has a status, and that many attempts. */
export const deliveryUntil = (api: Api, id: string, status: string, attempts: number) =>
  eventually(`${status} with ${attempts} attempts`, async () => {
    const delivery = await deliveryOf(api, id);
    return delivery.status === status && delivery.attempts.length >= attempts && delivery;
  });

export const listed = async (api: Api, query: string): Promise<string[]> =>
  (await api.get(`/webhook-deliveries?${query}`)).body.map(({ id }: { id: string }) => id);

export const useReceiver = (): void => {
  beforeAll(async () => {
    receiver = await startScriptedReceiver((received) => scripts.get(received.path)?.(received) ?? 204);
  });
  afterAll(() => receiver.stop());
};
