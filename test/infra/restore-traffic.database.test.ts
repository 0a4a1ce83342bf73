import { randomUUID } from 'node:crypto';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, expect, it, vi } from 'vitest';
import { type Item, kindOf } from '../../infra/admin/items.ts';
import type { Source } from '../../infra/admin/restore/source.ts';
import { restoreTraffic } from '../../infra/admin/restore/traffic.ts';
import { trafficKinds } from '../../shared/contract/needs.ts';
import { hashOfToken, tokenKey } from '../../shared/domain/access/token.ts';
import { createProgram } from '../../shared/domain/programs/programs.ts';
import { rebuildTokensOf } from '../../shared/domain/programs/rebuild-tokens.ts';
import { deleteItem, getItem, putItem } from '../../shared/platform/table/items.ts';
import { partition } from '../../shared/platform/table/partition.ts';

// A lost table `traffic` comes back from the copy that point-in-time recovery makes.

const now = new Date('2026-05-01T12:00:00.000Z');
afterEach(() => vi.restoreAllMocks());

const copyOf = (items: readonly object[]): Source => ({
  check: async () => {},
  owners: async function* () {},
  async *items() {
    yield* items.map((item) => marshall(item));
  },
});
const item = (programId: string, kind: (typeof trafficKinds)[number]) => ({
  pk: partition(programId, kind),
  sk: 'one',
  note: kind,
});

it('what expires later comes back, kind by kind, and keys work again; attempts in flight and counters do not', async () => {
  const { programId, apiKey } = await createProgram({ name: 'Shop', ownerEmail: 'traffic@example.com' }, now);
  const token = tokenKey(hashOfToken(apiKey));
  await deleteItem('traffic', token);
  const items = trafficKinds.map((kind) => item(programId, kind));
  const expired = { ...item(programId, 'EVENT'), sk: 'two', ttl: now.getTime() / 1000 - 1 };
  const counters = { pk: `UNKNOWN#${randomUUID()}`, sk: 'UNKNOWN' };
  const source = copyOf([...items, expired, counters, { ...token, programId: 'of a revoked key' }]);
  // Other tests have programs in the same table.
  const rebuild = () => rebuildTokensOf(programId);
  const restored = await restoreTraffic(source, now, rebuild);
  const one = { inBackup: 1, restored: 1 };
  expect(restored).toMatchObject({ items: trafficKinds.length - 1, conflicts: 0 });
  expect(restored.kinds).toEqual({
    EVENT: { inBackup: 2, restored: 1, expired: 1 },
    FEED: one,
    DELIVERY: one,
    IDEMPOTENCY: one,
    COUNTED: one,
    UNCOUNTED: one,
    VISIT: one,
    PORTAL_SESSION: one,
    MAIL: one,
  });
  for (const each of items)
    expect(await getItem('traffic', { pk: each.pk, sk: each.sk })).toEqual(
      each.note === 'IN_FLIGHT' ? undefined : each,
    );
  expect(await getItem('traffic', { pk: counters.pk, sk: counters.sk })).toBeUndefined();
  expect(await getItem('traffic', token)).toMatchObject({ programId, programDeleted: false });
  // A second run changes nothing.
  expect(await restoreTraffic(source, now, rebuild)).toMatchObject({ items: 0, conflicts: 0 });
});

it('what was written since stays and is counted as a conflict, and a lost put fails the restore until the next run', async () => {
  const { programId } = await createProgram({ name: 'Shop', ownerEmail: 'traffic@example.com' }, now);
  const feed = item(programId, 'FEED');
  await putItem('traffic', { ...feed, note: 'newer' });
  const source = copyOf([feed, item(programId, 'DELIVERY')]);
  const real = DynamoDBClient.prototype.send;
  vi.spyOn(DynamoDBClient.prototype, 'send').mockImplementation(function (this: DynamoDBClient, ...args: unknown[]) {
    const [command] = args;
    const isLost = command instanceof PutItemCommand && kindOf((command.input.Item ?? {}) as Item) === 'DELIVERY';
    return isLost ? Promise.resolve({}) : Reflect.apply(real, this, args);
  } as typeof real);
  const rebuild = () => rebuildTokensOf(programId);
  await expect(restoreTraffic(source, now, rebuild)).rejects.toThrow('The restore is not complete: 0 of 1 DELIVERY.');
  vi.restoreAllMocks();
  expect(await restoreTraffic(source, now, rebuild)).toMatchObject({ items: 1, conflicts: 1 });
  expect(await getItem('traffic', { pk: feed.pk, sk: feed.sk })).toMatchObject({ note: 'newer' });
});
