import { expect, it } from 'vitest';
import { eventCatalogue, eventFamilies } from '../../events/catalogue.ts';
import { createClient } from '../../shared/client/client.ts';
import { methodOf, recordFieldOf, resourceOf } from '../../shared/client/names.ts';
import { routes } from '../../shared/client/routes.at-build.ts';
import type { EditType } from '../../shared/client/webhook-event.ts';
import { operations } from '../../shared/contract/operations.ts';

type Method = (...given: unknown[]) => unknown;
const isMethod = (value: unknown): value is Method => typeof value === 'function';

interface Sent {
  method: string | undefined;
  address: URL;
  body: unknown;
}

/** Calls an operation's method as its name in the contract says, and returns the one request that was made. */
const requestOf = async (resource: string, name: string, given: readonly unknown[]): Promise<Sent | undefined> => {
  const sent: Sent[] = [];
  const fetch: typeof globalThis.fetch = async (input, { method, body } = {}) => {
    sent.push({ method, address: new URL(String(input)), body: body ? JSON.parse(String(body)) : undefined });
    return Response.json([]);
  };
  const client = createClient({ apiKey: 'key', baseUrl: 'https://api.example.com', fetch });
  const part = new Map(Object.entries(client)).get(resource);
  const found: unknown = part && new Map(Object.entries(part)).get(name);
  if (!isMethod(found)) throw new Error(`The client has no ${resource}.${name}`);
  const result = found(...given);
  if (result instanceof Object && 'page' in result && isMethod(result.page)) await result.page();
  await result;
  expect(sent).toHaveLength(1);
  return sent[0];
};

it.each(operations)('$id is sent as the contract says, from its example', async (operation) => {
  const { method, path, example } = operation;
  const { parameters, query, body } = example;
  const [id] = Object.values(parameters ?? {});
  const field = body && recordFieldOf(operation, Object.keys(operation.body?.shape ?? {}));
  const { [field ?? '']: recordId, ...fields } = body ?? {};
  const given = body
    ? recordId === undefined
      ? [body]
      : [recordId, fields]
    : id === undefined
      ? [query]
      : [id, query];

  const sent = await requestOf(resourceOf(operation), methodOf(operation), given);
  // A deletion goes without a body, which some proxies drop.
  const ids = Object.entries(body ?? {}).map(([name, value]) => [name, String(value)]);
  const inQuery = method === 'DELETE' ? new URLSearchParams(ids) : query && new URLSearchParams(query);
  expect(sent).toEqual({
    method,
    address: new URL(
      `${path.replace(/\{\w+\}/, encodeURIComponent(id ?? ''))}${inQuery ? `?${inQuery}` : ''}`,
      'https://api.example.com',
    ),
    body: ['GET', 'DELETE'].includes(method) ? undefined : (body ?? {}),
  });
});

it('the events whose type has previous values are those of the catalogue', () => {
  const edits = eventCatalogue.filter(({ schema }) => 'previousAttributes' in schema.shape).map(({ type }) => type);
  const typed = eventFamilies
    .flatMap(({ entries }) => [...entries].map(({ type }) => type))
    .filter((type): type is EditType => !/\.(created|deleted)$/.test(type));
  expect(typed).toEqual(expect.arrayContaining(['sale.updated', 'sale.refunded', 'payout_batch.paid']));
  expect(edits.sort()).toEqual(typed.sort());
});

it('no two operations are the same method', () => {
  const names = routes.map(({ resource, name }) => `${resource}.${name}`);
  expect(new Set(names).size).toBe(operations.length);
  expect(names).toEqual(expect.arrayContaining(['promotionalCodes.createInBulk', 'sales.refund', 'webhooks.test']));
});
