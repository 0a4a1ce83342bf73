import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Operation } from '../../shared/contract/operation.ts';
import { createProgram } from '../../shared/domain/programs/programs.ts';
import { apiPath } from '../../shared/http/api.ts';
import { admitted } from '../../shared/platform/clients/admission.ts';
import { type Given, handlersOf, readThing, responseTo, type Sent } from './served-path.ts';

const query = z.strictObject({ id: z.string().optional() });
const read: Operation = { ...readThing, query, auth: 'key' };
const create: Operation = {
  ...read,
  id: 'createThing',
  method: 'POST',
  needs: ['IDEMPOTENCY:read'],
  body: z.strictObject({ size: z.number() }),
};
const update: Operation = { ...create, id: 'updateThing', method: 'PATCH', needs: [] };
/** The key of a new program. */
export const makeKey = async () =>
  (await createProgram({ name: 'Repeated', ownerEmail: `${randomUUID()}@example.com` }, new Date())).apiKey;

/** A path of requests with one Idempotency-Key, whose handlers run as `respond` says, with how often each did. */
export const repeatablePath = (respond: (request: Given, times: number) => unknown = (_, times) => ({ times })) => {
  const given: Given[] = [];
  const operations = [read, create, update];
  const lambda = apiPath(
    ...handlersOf(operations, async (request) => {
      await admitted();
      given.push(request);
      return respond(request, given.length);
    }),
  );
  const ask = (apiKey: string, { headers, ...sent }: Sent = {}) =>
    responseTo(lambda, {
      method: 'POST',
      body: '{"size":1}',
      ...sent,
      headers: { authorization: `Bearer ${apiKey}`, 'idempotency-key': 'order-1', ...headers },
    });
  return { ask, given };
};
