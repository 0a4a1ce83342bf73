import { beforeAll, expect, it } from 'vitest';
import { budgets } from './budgets.ts';
import { measureRequest } from './measure.ts';
import { type MakeRequest, requests } from './requests.ts';
import { makeWorld, type OperationId, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const measured = Object.keys(requests) as OperationId[];

it.each(measured)('%s takes the round trips, read units and write units of its budget', async (id) => {
  const costs: Record<string, readonly number[]> = {};
  for (const [name, makeRequest] of Object.entries<MakeRequest>(requests[id])) {
    const { roundTrips, readUnits, writeUnits } = await measureRequest(world, id, makeRequest);
    costs[name] = [roundTrips, readUnits, writeUnits];
  }
  // Lower is welcome: enter it, so that it stays.
  expect(costs).toEqual(budgets[id]);
});
