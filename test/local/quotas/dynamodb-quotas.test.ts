import { randomUUID } from 'node:crypto';
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isEmbedded } from '../../support/embedded-database.ts';
import { startGuardedTable } from '../../support/guarded-table.ts';

// What DynamoDB takes at most, as a function meets it: the embedded database behind the proxy.

const TableName = `Records-${randomUUID()}`;
let table: Awaited<ReturnType<typeof startGuardedTable>>;
let client: DynamoDBClient;

beforeAll(async () => {
  table = await startGuardedTable(TableName);
  client = table.client;
  // More than one batch or one page can read.
  await Promise.all(
    many(45, (at) =>
      client.send(new PutItemCommand({ TableName, Item: { ...keyOf(at, 'large'), text: kilobytes(390) } })),
    ),
  );
});
afterAll(() => table.stop());

const kilobytes = (count: number) => ({ S: 'x'.repeat(count * 1024) });
const keyOf = (number: number, pk = 'one') => ({ pk: { S: pk }, sk: { S: String(number).padStart(3, '0') } });
const many = <T>(count: number, make: (number: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const refused = (name: string, message: string) => ({ name, message: expect.stringContaining(message) });
const invalid = (message: string) => refused('ValidationException', message);
const update = (UpdateExpression: string, more: object = {}) =>
  new UpdateItemCommand({ TableName, Key: keyOf(0, 'updated'), UpdateExpression, ...more });

test('an item has 400 KB at most, when it is put and when it grows', async () => {
  const put = (size: number) =>
    client.send(new PutItemCommand({ TableName, Item: { ...keyOf(0, 'updated'), text: kilobytes(size) } }));
  await expect(put(400)).rejects.toMatchObject(invalid('Item size has exceeded'));
  await put(399);
  const grow = update('SET more = :more', { ExpressionAttributeValues: { ':more': kilobytes(1) } });
  await expect(client.send(grow)).rejects.toMatchObject(invalid('Item size to update has exceeded'));
});

test('a transaction has 100 items and 4 MB at most, and no item twice', async () => {
  const write = (count: number, size: number) =>
    client.send(
      new TransactWriteItemsCommand({
        TransactItems: many(count, (at) => ({
          Put: { TableName, Item: { ...keyOf(at, 'tx'), text: kilobytes(size) } },
        })),
      }),
    );
  await write(100, 1);
  await expect(write(101, 1)).rejects.toMatchObject(invalid('less than or equal to 100'));
  await expect(write(11, 390)).rejects.toMatchObject(invalid('4MB'));
  const twice = [{ Delete: { TableName, Key: keyOf(1) } }, { Put: { TableName, Item: keyOf(1) } }];
  await expect(client.send(new TransactWriteItemsCommand({ TransactItems: twice }))).rejects.toMatchObject(
    invalid('multiple operations on one item'),
  );
  const reads = many(101, (at) => ({ Get: { TableName, Key: keyOf(at) } }));
  await expect(client.send(new TransactGetItemsCommand({ TransactItems: reads }))).rejects.toMatchObject(
    invalid('less than or equal to 100'),
  );
});

test('a batch reads 100 items and 16 MB, and writes 25', async () => {
  const read = (count: number, pk: string) =>
    client.send(
      new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: many(count, (at) => keyOf(at, pk)) } } }),
    );
  await expect(read(101, 'tx')).rejects.toMatchObject({
    name: 'ValidationException',
    message: expect.stringMatching(/less than or equal to 100|Too many items requested/),
  });
  const { Responses, UnprocessedKeys } = await read(45, 'large');
  const [found = 0, left = 0] = [Responses?.[TableName]?.length, UnprocessedKeys?.[TableName]?.Keys?.length];
  expect(found + left).toBe(45);
  expect(found * 390).toBeLessThanOrEqual(16 * 1024);
  const writes = many(26, (at) => ({ DeleteRequest: { Key: keyOf(at, 'none') } }));
  await expect(client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: writes } }))).rejects.toMatchObject(
    { name: 'ValidationException' },
  );
});

test.runIf(isEmbedded)('a page of a query reads 1 MB at most, before its filter', async () => {
  const query = (more: object) =>
    client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk',
        ...more,
        ExpressionAttributeValues: { ':pk': { S: 'large' }, ...('FilterExpression' in more && { ':none': { S: '' } }) },
      }),
    );
  const whole = await query({});
  expect(whole.Items).toHaveLength(2);
  expect(whole.LastEvaluatedKey).toBeDefined();
  const filtered = await query({ FilterExpression: 'kind = :none' });
  expect(filtered.Items).toEqual([]);
  expect(filtered.LastEvaluatedKey).toBeDefined();
});

test('a page of a query begins in its own partition', async () => {
  for (const at of [0, 1, 2]) await client.send(new PutItemCommand({ TableName, Item: keyOf(at, 'paged') }));
  const page = (start: object) =>
    client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: 'paged' } },
        ExclusiveStartKey: { ...start },
      }),
    );
  expect((await page(keyOf(0, 'paged'))).Items?.length).toBe(2);
  await expect(page(keyOf(0, 'large'))).rejects.toMatchObject(invalid('outside query boundaries'));
});

test.each([
  ['sk BETWEEN :low AND :high', [0, 3]],
  ['#sk >= :low AND pk = :pk', [0]],
  ['sk > :low', [0, 1]],
  ['sk <= :high', [3]],
  ['sk < :high', [2, 3]],
  ['begins_with(sk, :low)', [0, 2, 3]],
])('a page of a query by %s begins within its range', async (range, outside) => {
  const page = (at: number) =>
    client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: range.includes('pk') ? range : `pk = :pk AND ${range}`,
        ExpressionAttributeValues: {
          ':pk': { S: 'ranged' },
          ...(range.includes(':low') && { ':low': { S: '001' } }),
          ...(range.includes(':high') && { ':high': { S: '002' } }),
        },
        ...(range.includes('#sk') && { ExpressionAttributeNames: { '#sk': 'sk' } }),
        ExclusiveStartKey: keyOf(at, 'ranged'),
      }),
    );
  const refusals = await Promise.allSettled([0, 1, 2, 3].map((at) => page(at)));
  const isOutside = (at: number) => outside.includes(at);
  expect(refusals.map(({ status }) => status === 'rejected')).toEqual([0, 1, 2, 3].map(isOutside));
  for (const refusal of refusals)
    if (refusal.status === 'rejected')
      expect(refusal.reason).toMatchObject(invalid('does not match the range key predicate'));
});

test('an expression has 4 KB, 300 operators and 100 operands of IN at most', async () => {
  const one = { ':one': { N: '1' } };
  const sum = (count: number) =>
    client.send(update(`SET amount = ${many(count + 1, () => ':one').join('+')}`, { ExpressionAttributeValues: one }));
  await expect(sum(301)).rejects.toMatchObject(invalid('too many operators'));
  const spaces = update(`SET amount = :one${' '.repeat(4096)}`, { ExpressionAttributeValues: one });
  await expect(client.send(spaces)).rejects.toMatchObject(invalid('Expression size'));
  const oneOf = (count: number) => {
    const values = Object.fromEntries(many(count, (at) => [`:v${at}`, { S: String(at) }]));
    const condition = `attribute_not_exists(pk) OR NOT kind IN (${Object.keys(values).join(', ')})`;
    return client.send(
      update('SET amount = :one', { ConditionExpression: condition, ExpressionAttributeValues: { ...one, ...values } }),
    );
  };
  await oneOf(100);
  await expect(oneOf(101)).rejects.toMatchObject(invalid('too many operands'));
});

test('keys have 2,048 bytes, those of indexes too, and sort keys 1,024', async () => {
  const put = (item: Record<string, { S: string }>) =>
    client.send(new PutItemCommand({ TableName, Item: { ...keyOf(0), ...item } }));
  await put({ gsi1pk: { S: 'é'.repeat(1024) } });
  await expect(put({ gsi1pk: { S: `é${'é'.repeat(1024)}` } })).rejects.toMatchObject(invalid('2048 bytes'));
  await expect(put({ pk: { S: 'x'.repeat(2049) } })).rejects.toMatchObject(invalid('2048 bytes'));
  await expect(put({ sk: { S: 'x'.repeat(1025) } })).rejects.toMatchObject(invalid('1024 bytes'));
});
