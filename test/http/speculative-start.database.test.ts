import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { coupons } from '../../shared/domain/coupons/repository.ts';
import { deleteApiKey } from '../../shared/domain/programs/api-keys.ts';
import { createProgram, deleteProgram, setPlan } from '../../shared/domain/programs/programs.ts';
import { updateTokens } from '../../shared/domain/programs/repository.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { type Given, invoke } from '../speed/in-process.ts';
import { makeWorld, type OperationId, operationWithId, type World } from '../speed/world.ts';

const send = (apiKey: string, id: OperationId, given: Given) => invoke(operationWithId(id), apiKey, given);

const newCoupon: Given = { body: { name: 'Spring', percentOff: 20 } };

const countOf = async (records: AsyncIterable<unknown>): Promise<number> => (await Array.fromAsync(records)).length;

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(() => {
  for (const name of ['RATE_LIMIT_READS', 'RATE_LIMIT_WRITES']) vi.stubEnv(name, '1000000');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** The calls of the table in their order, each of which waits where `held` says so, until `release` is called. */
const watchTable = (held: (command: string) => boolean) => {
  const begun: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  documents.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        begun.push(commandName);
        if (held(commandName)) await released;
        return next(args);
      },
    { step: 'build', name: 'watchTable' },
  );
  return { begun, release, stop: () => documents.middlewareStack.remove('watchTable') };
};

describe('a request of a key that the function knows', () => {
  it('reads beside the check of the key, and neither responds nor writes before it', async () => {
    const table = watchTable((command) => command === 'UpdateItemCommand');
    const { id } = world.coupon;
    let responded = 0;
    const asked = [
      send(world.apiKey, 'readCoupon', { parameters: { id } }),
      send(world.apiKey, 'createCoupon', newCoupon),
      send(world.apiKey, 'createCoupon', { ...newCoupon, headers: { 'idempotency-key': randomUUID() } }),
    ].map(async (response) => {
      const { statusCode } = await response;
      responded += 1;
      return statusCode;
    });
    // The reads of the coupon end, and everything else waits.
    await vi.waitFor(() => expect(table.begun).toContain('QueryCommand'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const writes = table.begun.filter((command) => !/Get|Query/.test(command));
    const respondedBefore = responded;
    table.release();
    expect(await Promise.all(asked)).toEqual([200, 200, 200]);
    table.stop();
    // One check of the key for each.
    expect(writes).toEqual(['UpdateItemCommand', 'UpdateItemCommand', 'UpdateItemCommand']);
    expect(respondedBefore).toBe(0);
  });

  it('is served once more with what the key says now, and writes once', async () => {
    const sale: Given = { body: { totalEarned: 100, referralId: world.affiliate.id } };
    const { programId, apiKey } = world;
    const before = await countOf(sales.all(programId));
    await updateTokens([programId], { commissionRate: 35 });
    const response = await send(apiKey, 'createSale', sale);
    expect(JSON.parse(response.body)).toMatchObject({ commissionRate: 35, commissionEarned: 35 });
    expect(await countOf(sales.all(programId))).toBe(before + 1);
  });

  it('reads nothing for a key whose limit is known to be reached', async () => {
    vi.stubEnv('RATE_LIMIT_READS', '2');
    const { apiKey } = await createProgram({ name: 'Limited', ownerEmail: `${randomUUID()}@example.com` }, new Date());
    for (let times = 0; times < 2; times++) await send(apiKey, 'readProgram', {});
    const table = watchTable(() => false);
    expect((await send(apiKey, 'readProgram', {})).statusCode).toBe(429);
    table.stop();
    expect(table.begun).toEqual([]);
  });
});

interface Ending {
  /** Of the requests that begin after it; those before may get it as well. */
  status: number;
  end: (program: { programId: string; keyId: string; ownerEmail: string }) => Promise<void>;
  what: string;
  keys: number;
}

const requestsOfKey = 50;

const endings: readonly Ending[] = [
  {
    what: 'the key is deleted',
    status: 401,
    keys: 4,
    end: ({ programId, keyId }) => deleteApiKey(programId, keyId, new Date()),
  },
  { what: 'the program is deleted', status: 404, keys: 2, end: ({ programId }) => deleteProgram(programId) },
  { what: 'the plan loses API access', status: 403, keys: 2, end: ({ ownerEmail }) => setPlan(ownerEmail, 'FREE') },
];

describe('race: half reads, half writes, while', () => {
  it.each(endings)('$what: none that begins after that was answered succeeds', async ({ status, keys, end }) => {
    const statuses = { before: [] as number[], after: [] as number[] };
    for (let made = 0; made < keys; made++) {
      const ownerEmail = `${randomUUID()}@example.com`;
      const { programId, apiKey, keyId } = await createProgram({ name: 'Raced', ownerEmail }, new Date());
      const ask = async (at: number): Promise<number> => {
        const id = at % 2 === 0 ? 'createCoupon' : 'readProgram';
        return (await send(apiKey, id, at % 2 === 0 ? newCoupon : {})).statusCode;
      };
      // From now on the function knows the key.
      expect(await ask(1)).toBe(200);
      const half = Array.from({ length: requestsOfKey / 2 }, (_, at) => at);
      const before = half.map(ask);
      await end({ programId, keyId, ownerEmail });
      statuses.after.push(...(await Promise.all(half.map(ask))));
      const those = await Promise.all(before);
      statuses.before.push(...those);
      const created = those.filter((one, at) => one === 200 && at % 2 === 0).length;
      expect(await countOf(coupons.all(programId))).toBe(created);
    }
    expect(statuses.after).toHaveLength((keys * requestsOfKey) / 2);
    expect(new Set(statuses.after)).toEqual(new Set([status]));
    expect(statuses.before.filter((one) => one !== 200 && one !== status)).toEqual([]);
  });
});
