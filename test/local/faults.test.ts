import { randomUUID } from 'node:crypto';
import {
  BatchGetItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startGuardedTable } from '../support/guarded-table.ts';

const TableName = `Records-${randomUUID()}`;
const latencyMilliseconds = 400;
let table: Awaited<ReturnType<typeof startGuardedTable>>;

beforeAll(async () => {
  table = await startGuardedTable(TableName);
});
afterEach(() => table.setFaults());
afterAll(() => table.stop());

const keyOf = (name: string) => ({ pk: { S: name }, sk: { S: 'x' } });
const put = (name: string) => table.client.send(new PutItemCommand({ TableName, Item: keyOf(name) }));
const transact = (...names: string[]) =>
  table.client.send(
    new TransactWriteItemsCommand({ TransactItems: names.map((name) => ({ Put: { TableName, Item: keyOf(name) } })) }),
  );
const readTogether = (...names: string[]) =>
  table.client.send(
    new TransactGetItemsCommand({ TransactItems: names.map((name) => ({ Get: { TableName, Key: keyOf(name) } })) }),
  );
const isStored = async (name: string) =>
  (await table.operator.send(new GetItemCommand({ TableName, Key: keyOf(name) }))).Item !== undefined;
const codesOf = ({ CancellationReasons = [] }: { CancellationReasons?: { Code?: string }[] }) =>
  CancellationReasons.map(({ Code }) => Code);
const outcomes = async (...calls: Promise<unknown>[]) =>
  (await Promise.allSettled(calls)).map((call) => (call.status === 'fulfilled' ? 'done' : call.reason.name));

test('without settings nothing fails', async () => {
  expect(await outcomes(...Array.from({ length: 50 }, (_, at) => transact(`calm-${at}`)))).not.toContain(
    'TransactionCanceledException',
  );
});

test('a conflict by chance cancels a transaction for one of its items, and a single write; neither is made', async () => {
  await table.setFaults({ conflictShare: 1 });
  const error = await transact('chance-1', 'chance-2', 'chance-3').catch((thrown) => thrown);
  expect(error).toMatchObject({ name: 'TransactionCanceledException' });
  expect(codesOf(error).toSorted()).toEqual(['None', 'None', 'TransactionConflict']);
  expect(await outcomes(put('chance-1'))).toEqual(['TransactionConflictException']);
  expect(await isStored('chance-1')).toBe(false);
});

test('only functions are hit: the operator writes and reads', async () => {
  await table.setFaults({ conflictShare: 1, throttlingShare: 1 });
  await table.operator.send(new PutItemCommand({ TableName, Item: keyOf('operator') }));
  expect(await isStored('operator')).toBe(true);
});

test('a share of 5 % is a share of 5 %', async () => {
  await table.setFaults({ throttlingShare: 0.05 });
  const all = await outcomes(...Array.from({ length: 400 }, () => readOne('nothing')));
  const failed = all.filter((outcome) => outcome !== 'done');
  expect(failed.length).toBeGreaterThan(3);
  expect(failed.length).toBeLessThan(60);
});
const readOne = (name: string) => table.client.send(new GetItemCommand({ TableName, Key: keyOf(name) }));

test('throttling comes under both of its names', async () => {
  await table.setFaults({ throttlingShare: 1 });
  const names = await outcomes(...Array.from({ length: 60 }, () => readOne('nothing')));
  expect(new Set(names)).toEqual(new Set(['ProvisionedThroughputExceededException', 'ThrottlingException']));
});

test('a batch may return all of its keys as unprocessed', async () => {
  await table.setFaults({ unprocessedShare: 1 });
  const RequestItems = { [TableName]: { Keys: [keyOf('one'), keyOf('two')], ConsistentRead: true } };
  const { Responses, UnprocessedKeys } = await table.client.send(new BatchGetItemCommand({ RequestItems }));
  expect([Responses, UnprocessedKeys]).toEqual([{}, RequestItems]);
});

test('a call takes as much longer as it was told', async () => {
  await table.setFaults({ latencyMilliseconds });
  const startedAt = performance.now();
  await readOne('nothing');
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(latencyMilliseconds - 2);
});

test('of two transactions in flight on a common item the later one is cancelled, for that item alone', async () => {
  await table.setFaults({ conflictsInFlight: true, latencyMilliseconds });
  const first = transact('a', 'common');
  await new Promise((resolve) => setTimeout(resolve, latencyMilliseconds / 4));
  const error = await transact('b', 'common', 'c').catch((thrown) => thrown);
  expect(codesOf(error)).toEqual(['None', 'TransactionConflict', 'None']);
  await first;
  expect([await isStored('common'), await isStored('b')]).toEqual([true, false]);
  await transact('b', 'common', 'c');
});

test('a single write and a transactional read conflict with a transaction in flight, and others do not', async () => {
  await table.setFaults({ conflictsInFlight: true, latencyMilliseconds });
  const first = transact('held', 'other');
  await new Promise((resolve) => setTimeout(resolve, latencyMilliseconds / 4));
  const erase = table.client.send(new DeleteItemCommand({ TableName, Key: keyOf('other') }));
  const beside = outcomes(put('held'), erase, readTogether('free', 'held'), put('free'), readOne('held'));
  expect(await beside).toEqual([
    'TransactionConflictException',
    'TransactionConflictException',
    'TransactionCanceledException',
    'done',
    'done',
  ]);
  await first;
  expect(await outcomes(put('held'), readTogether('other'))).toEqual(['done', 'done']);
});

test('single writes among themselves never conflict', async () => {
  await table.setFaults({ conflictsInFlight: true, latencyMilliseconds });
  expect(new Set(await outcomes(...Array.from({ length: 20 }, () => put('same'))))).toEqual(new Set(['done']));
});
