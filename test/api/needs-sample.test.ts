import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Need } from '../../shared/contract/needs.ts';
import { functionNameOf, type Operation } from '../../shared/contract/operation.ts';
import { permissionsOf, withdrawPermissions } from '../support/permissions.ts';
import { freshRequest, keyOperations, makeWorld, send, type World } from './every-operation.ts';

// A sample of what `npm run test:needs` does with every need: without it, the operation does not work.

const environment = inject('stackEnvironment');
let world: World;
beforeAll(async () => {
  world = await makeWorld({ isCompared: false, isListed: false });
});
afterEach(() => withdrawPermissions(environment, []));

/** The uses that a plain request makes of the operation's own kind, the most telling first. */
const usesOfMethod: Record<Operation['method'], readonly string[]> = {
  GET: ['list', 'read'],
  POST: ['create', 'change', 'read', 'list'],
  PUT: ['read', 'list'],
  PATCH: ['read', 'list'],
  DELETE: ['read', 'list'],
};

const plainNeedOf = ({ id, method, path, needs }: Operation): Need => {
  const own = needs.filter((need) => !need.startsWith('IDEMPOTENCY:'));
  const ofItsKind = own.filter((need) => need.split(':')[0] === own[0]?.split(':')[0]);
  const uses = path.includes('{') ? ['read', 'list'] : usesOfMethod[method];
  const found = [ofItsKind, own].flatMap((from) =>
    uses.flatMap((use) => from.find((need) => need.endsWith(`:${use}`)) ?? []),
  )[0];
  if (!found) throw new Error(`${id} has no need of items`);
  return found;
};

/** A bulk responds 200 with the failure of each code, and the sale of the sample was approved before, so that nothing is written. */
const sampled = keyOperations.filter(({ id }) => !['createPromotionalCodesInBulk', 'reviewSale'].includes(id));

const sampleSize = 10;
/** Another sample every day, evenly spread over the operations. */
const day = Math.floor(Date.now() / (24 * 60 * 60 * 1000));
const sample = Array.from({ length: sampleSize }, (_, at) => {
  const place = day + Math.floor((at * sampled.length) / sampleSize);
  return sampled[place % sampled.length];
}).flatMap((operation) => (operation ? { operation, id: operation.id, need: plainNeedOf(operation) } : []));

describe(`without a need (the sample of day ${day})`, () => {
  it.each(sample)('$id fails without $need, and works with it', async ({ operation, need }) => {
    const functionName = functionNameOf(operation.path);
    // Of this program alone, so that no other test notices.
    const withdrawals = permissionsOf(need).map(({ leadingKeys = [], ...permission }) => ({
      name: `${operation.id} ${need}`,
      functionName,
      ...permission,
      leadingKeys: leadingKeys.map((key) => key.replace('?'.repeat(36), world.api.programId)),
    }));
    const given = freshRequest(operation, world);
    await withdrawPermissions(environment, withdrawals);
    expect((await send(world.api.apiKey, operation, given)).status).toBe(500);
    await withdrawPermissions(environment, []);
    expect((await send(world.api.apiKey, operation, given)).status).toBeLessThan(500);
  });
});
