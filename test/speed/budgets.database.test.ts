import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkAccess } from '../../shared/domain/access/check-access.ts';
import { hashOfToken } from '../../shared/domain/access/token.ts';
import { budgets } from './budgets.ts';
import { measureRequest } from './measure.ts';
import { recordCalls } from './recorded-calls.ts';
import { type MakeRequest, requests } from './requests.ts';
import { makeWorld, type OperationId, type World } from './world.ts';

const measured = Object.keys(requests) as OperationId[];

const costsOf = async (id: OperationId): Promise<Record<string, readonly number[]>> => {
  const costs: Record<string, readonly number[]> = {};
  for (const [name, makeRequest] of Object.entries<MakeRequest>(requests[id])) {
    const { roundTrips, readUnits, writeUnits } = await measureRequest(world, id, makeRequest);
    costs[name] = [roundTrips, readUnits, writeUnits];
  }
  return costs;
};

let world: World;
const costs = new Map<OperationId, Awaited<ReturnType<typeof costsOf>>>();
beforeAll(async () => {
  world = await makeWorld();
  // Always in this order: what a request costs depends on the records that earlier ones made.
  for (const id of measured) costs.set(id, await costsOf(id));
});

it.each(measured)('%s takes the round trips, read units and write units of its budget', (id) => {
  // Lower is welcome: enter it, so that it stays.
  expect(costs.get(id)).toEqual(budgets[id]);
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
