import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { connectorVariant } from '../../shared/contract/connector.ts';
import type { Operation } from '../../shared/contract/operation.ts';
import { operations } from '../../shared/contract/operations.ts';
import { createProgram } from '../../shared/domain/programs/programs.ts';
import { functionEnvironment, invoke } from '../speed/in-process.ts';

// One limit for an operation and its variant on the connector, whichever of them is used.

const limit = 2;

beforeEach(() => {
  const limits = { RATE_LIMIT_READS: String(limit), RATE_LIMIT_WRITES: String(limit) };
  for (const [name, value] of Object.entries({ ...functionEnvironment(), CONNECTOR_PLATFORM: 'automation', ...limits }))
    vi.stubEnv(name, value);
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 60_000) * 60_000 + 30_000 });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const all: readonly Operation[] = operations;
const onBoth = all.flatMap((main) => {
  const variant = connectorVariant(main);
  // What needs no key has no limit.
  return variant && main.auth === 'key' ? [{ id: main.id, main, variant }] : [];
});

it('there are operations with a variant', () => {
  expect(onBoth.map(({ id }) => id)).toEqual(expect.arrayContaining(['createSale', 'listAffiliates', 'deleteSale']));
});

it.each(onBoth)('$id counts once on the main API and on the connector', async ({ main, variant }) => {
  const statusesOf = async (tried: readonly Operation[]) => {
    const { apiKey } = await createProgram(
      { name: 'Shop', ownerEmail: `${randomUUID()}@example.com`, plan: 'BUSINESS' },
      new Date(),
    );
    const statuses: number[] = [];
    // What is sent is counted, even if it is refused for its content.
    for (const operation of tried)
      statuses.push((await invoke(operation, apiKey, { parameters: { id: randomUUID() } })).statusCode);
    return statuses.map((status) => status === 429);
  };
  expect(await statusesOf([main, variant, main])).toEqual([false, false, true]);
  expect(await statusesOf([variant, main, variant])).toEqual([false, false, true]);
});
