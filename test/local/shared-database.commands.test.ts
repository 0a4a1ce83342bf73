import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, paginateListTables, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { credentials, region } from '../../infra/local/account.ts';
import { type DynamoDBServer, startDynamoDB } from '../../infra/local/tables/dynamodb-server.ts';
import { type LocalStack, startLocalStack } from '../../infra/start/local-stack.ts';
import { callApi } from './started-stack.ts';

// A database that several stacks share, as with DYNAMODB_ENDPOINT: that one, or else another embedded one.

const folder = mkdtempSync(join(tmpdir(), 'shared-database-'));
const running = new Set<LocalStack>();
let database: DynamoDBServer;
let client: DynamoDBClient;

beforeAll(async () => {
  database = await startDynamoDB({ folder: join(folder, 'database'), onExit: () => {} });
  client = new DynamoDBClient({ region, credentials, endpoint: database.endpoint });
  vi.stubEnv('DYNAMODB_ENDPOINT', database.endpoint);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([...running].map((stack) => stack.stop()));
  client.destroy();
  await database.stop();
  rmSync(folder, { recursive: true });
});

const start = async (name: string, settings: { ephemeral?: boolean; reset?: boolean } = {}): Promise<LocalStack> => {
  const stack = await startLocalStack({ port: 0, dataFolder: join(folder, name), ...settings });
  running.add(stack);
  return stack;
};
const stop = async (stack: LocalStack): Promise<void> => {
  running.delete(stack);
  await stack.stop();
};
/** The tables of these stacks that exist: others may use the database too. */
const tablesOf = async (...stacks: LocalStack[]) => {
  const all: string[] = [];
  for await (const { TableNames = [] } of paginateListTables({ client }, {})) all.push(...TableNames);
  const named = stacks.flatMap(({ outputs }) => [outputs.TableName, outputs.TrafficTableName]);
  return all.filter((name) => named.includes(name));
};

it('two stacks in one database do not see each other, and an ephemeral one leaves nothing in it', async () => {
  const kept = await start('kept');
  const ephemeral = await start('ephemeral', { ephemeral: true });
  expect(await tablesOf(kept, ephemeral)).toHaveLength(4);
  expect((await callApi(kept, 'POST', '/coupons', { name: 'Spring', percentOff: 20 })).status).toBe(200);
  expect((await callApi(ephemeral, 'GET', '/coupons')).body).toEqual([]);
  expect((await callApi({ ...kept, apiKey: ephemeral.apiKey }, 'GET', '/coupons')).status).toBe(401);
  await stop(ephemeral);
  expect(await tablesOf(ephemeral)).toEqual([]);
  expect(await tablesOf(kept)).toHaveLength(2);
  await stop(kept);
});

it('a stack finds its tables again, and --reset empties them and no others', async () => {
  const other = await start('other');
  const again = await start('kept');
  expect((await callApi(again, 'GET', '/coupons')).body).toMatchObject([{ name: 'Spring' }]);
  await stop(again);
  const reset = await start('kept', { reset: true });
  expect(reset.outputs.TableName).toBe(again.outputs.TableName);
  expect((await callApi({ ...reset, apiKey: again.apiKey }, 'GET', '/coupons')).status).toBe(401);
  expect((await callApi(reset, 'GET', '/coupons')).body).toEqual([]);
  const records = await client.send(new ScanCommand({ TableName: reset.outputs.TableName }));
  expect(records.Items?.filter(({ pk }) => pk?.S?.includes(again.programId))).toEqual([]);
  expect((await callApi(other, 'GET', '/program')).status).toBe(200);
});
