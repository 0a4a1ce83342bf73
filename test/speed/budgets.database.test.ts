import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkAccess } from '../../shared/domain/access/check-access.ts';
import { hashOfToken } from '../../shared/domain/access/token.ts';
import { type OperationId, samples } from '../operations/samples.ts';
import { measureRequest } from './measure.ts';
import { recordCalls } from './recorded-calls.ts';
import { makeWorld, operationWithId, type World } from './world.ts';

const measured = Object.keys(samples) as OperationId[];

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

/** What only reads shares a world; otherwise what a request costs depends on the records that others made before. */
const worldOf = async (id: OperationId): Promise<World> => (operationWithId(id).method === 'GET' ? world : makeWorld());

it.each(measured)('%s takes the round trips, read units and write units of its budget', async (id) => {
  const costs: Record<string, readonly number[]> = {};
  const budgets: typeof costs = {};
  const own = await worldOf(id);
  for (const [name, { request, cost }] of Object.entries(samples[id].measured)) {
    const { roundTrips, readUnits, writeUnits } = await measureRequest(own, id, request);
    costs[name] = [roundTrips, readUnits, writeUnits];
    budgets[name] = cost;
  }
  // Lower is welcome: enter it, so that it stays.
  expect(costs).toEqual(budgets);
});

describe('the check of a key', () => {
  const sourceIp = '203.0.113.77';
  const asking = (token: string, endpoint = 'GET /sales') => ({
    tokenHash: hashOfToken(token),
    sourceIp,
    endpoint,
    limitPerMinute: 600,
    now: new Date(),
  });

  it('takes one round trip for an unknown key of an address that sent another one', async () => {
    await checkAccess(asking(randomUUID()));
    const recorded = await recordCalls(() => checkAccess(asking(randomUUID())));
    expect(recorded).toEqual({ roundTrips: 1, calls: 2, readUnits: 1, writeUnits: 1 });
  });

  it('takes one write unit with 60 endpoints in use', async () => {
    for (let at = 0; at < 60; at++) await checkAccess(asking(world.apiKey, `GET /endpoint-${at}`));
    const recorded = await recordCalls(() => checkAccess(asking(world.apiKey, 'GET /endpoint-0')));
    expect(recorded).toEqual({ roundTrips: 1, calls: 1, readUnits: 0, writeUnits: 1 });
  });
});
