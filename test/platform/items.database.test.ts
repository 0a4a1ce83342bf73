import { randomUUID } from 'node:crypto';
import type { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { documents } from '../../shared/platform/table/client.ts';
import { deployedName } from '../../shared/platform/table/deployed-name.ts';
import { hasRecords } from '../../shared/platform/table/has-records.ts';
import {
  batchGetItems,
  deleteItem,
  getItem,
  putItem,
  queryAllItems,
  queryItems,
  scanItems,
  updateItem,
} from '../../shared/platform/table/items.ts';
import { partition } from '../../shared/platform/table/partition.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const newPartition = () => partition(randomUUID(), 'COUPON');

/** A partition with so many items. */
const filled = async (count: number) => {
  const pk = newPartition();
  const items = Array.from({ length: count }, (_, at) => ({ pk, sk: String(at).padStart(3, '0'), name: `item ${at}` }));
  await Promise.all(items.map((item) => putItem('records', item)));
  return { pk, items };
};

const ofPartition = (pk: string) => ({ KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } });

/** What is sent from now on. */
const sentInputs = () => {
  const send = vi.spyOn(documents, 'send');
  return () => send.mock.calls.map(([{ input }]) => input as unknown as Record<string, unknown>);
};

const all = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
};

describe('an item', () => {
  it.each([
    [undefined, true],
    [{ isConsistent: true }, true],
    [{ isConsistent: false }, false],
  ])('is read as %j says, and consistently if nothing does', async (how, isConsistent) => {
    const { pk, items } = await filled(1);
    const sent = sentInputs();
    expect(await getItem('records', { pk, sk: '000' }, how)).toEqual(items[0]);
    expect(sent()).toEqual([
      { TableName: deployedName('records'), Key: { pk, sk: '000' }, ConsistentRead: isConsistent },
    ]);
  });

  it('is read with the attributes that are asked for', async () => {
    const { pk } = await filled(1);
    expect(await getItem('records', { pk, sk: '000' }, { attributes: 'sk' })).toEqual({ sk: '000' });
  });

  it('is of one table, and undefined where it is not there', async () => {
    const { pk } = await filled(1);
    expect(await getItem('traffic', { pk, sk: '000' })).toBeUndefined();
    expect(await getItem('records', { pk, sk: '001' })).toBeUndefined();
  });

  it('is put over what was there', async () => {
    const key = { pk: newPartition(), sk: '1' };
    await putItem('records', { ...key, name: 'first' });
    expect(await getItem('records', key)).toEqual({ ...key, name: 'first' });
    await putItem('records', { ...key, name: 'third' });
    expect(await getItem('records', key)).toEqual({ ...key, name: 'third' });
    await deleteItem('records', key);
    expect(await getItem('records', key)).toBeUndefined();
  });

  it('is updated where the condition holds; else it comes as it is', async () => {
    const { pk } = await filled(1);
    const update = (count: number) =>
      updateItem(
        'records',
        { pk, sk: '000' },
        {
          UpdateExpression: 'ADD amount :count',
          ConditionExpression: 'attribute_not_exists(amount)',
          ExpressionAttributeValues: { ':count': count },
          ReturnValues: 'UPDATED_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      );
    expect(await update(3)).toEqual({ isWritten: true, value: { amount: 3 } });
    expect(await update(4)).toEqual({ isWritten: false, item: { pk, sk: '000', name: 'item 0', amount: 3 } });
  });

  it('that cannot be written for another reason fails', async () => {
    const invalid = updateItem('records', { pk: newPartition(), sk: '1' }, { UpdateExpression: 'no such' });
    await expect(invalid).rejects.toMatchObject({ name: 'ValidationException' });
  });
});

describe('a query', () => {
  it('has its items and where it goes on', async () => {
    const { pk, items } = await filled(3);
    const first = await queryItems('records', { ...ofPartition(pk), Limit: 2 });
    expect(first).toEqual({ items: items.slice(0, 2), lastKey: { pk, sk: '001' } });
    const last = await queryItems('records', { ...ofPartition(pk), ExclusiveStartKey: first.lastKey });
    expect(last).toEqual({ items: items.slice(2), lastKey: undefined });
    expect((await queryItems('records', ofPartition(newPartition()))).items).toEqual([]);
  });

  it('of all items goes on until the last', async () => {
    const { pk, items } = await filled(5);
    const sent = sentInputs();
    expect(await all(queryAllItems('records', { ...ofPartition(pk), Limit: 2 }))).toEqual(items);
    expect(sent().map(({ ExclusiveStartKey }) => ExclusiveStartKey)).toEqual([
      undefined,
      { pk, sk: '001' },
      { pk, sk: '003' },
    ]);
  });
});

it('a scan goes on until the last item of the table', async () => {
  const pages = [{ Items: [{ sk: '1' }], LastEvaluatedKey: { sk: '1' } }, { LastEvaluatedKey: { sk: '2' } }, {}];
  const inputs: object[] = [];
  vi.spyOn(documents, 'send').mockImplementation((async ({ input }: ScanCommand) => {
    inputs.push(input);
    return pages[inputs.length - 1];
  }) as typeof documents.send);
  expect(await all(scanItems('records', { Limit: 5 }))).toEqual([{ sk: '1' }]);
  const scan = { TableName: deployedName('records'), Limit: 5 };
  expect(inputs).toEqual([
    scan,
    { ...scan, ExclusiveStartKey: { sk: '1' } },
    { ...scan, ExclusiveStartKey: { sk: '2' } },
  ]);
});

describe('a batch of items', () => {
  const keysOf = (pk: string, count: number) =>
    Array.from({ length: count }, (_, at) => ({ pk, sk: String(at).padStart(3, '0') }));

  it.each([
    [0, []],
    [1, [1]],
    [100, [100]],
    [101, [100, 1]],
    [250, [100, 100, 50]],
  ])('of %i keys is read in calls of %j', async (count, sizes) => {
    const { pk, items } = await filled(2);
    const sent = sentInputs();
    const found = await batchGetItems(deployedName('records'), keysOf(pk, count));
    expect(found.toSorted((one, other) => (String(one.sk) < String(other.sk) ? -1 : 1))).toEqual(items.slice(0, count));
    const calls = sent().map(({ RequestItems }) => Object.values(Object(RequestItems))[0] as { Keys: object[] });
    expect(calls.map(({ Keys }) => Keys.length)).toEqual(sizes);
    for (const call of calls) expect(call).toEqual({ Keys: call.Keys, ConsistentRead: true });
  });

  it('is read as the caller says', async () => {
    const { pk } = await filled(2);
    const sent = sentInputs();
    const how = { isConsistent: false, attributes: 'sk' };
    expect(await batchGetItems(deployedName('records'), keysOf(pk, 1), how)).toEqual([{ sk: '000' }]);
    expect(sent()).toEqual([
      {
        RequestItems: {
          [deployedName('records')]: {
            Keys: keysOf(pk, 1),
            ConsistentRead: false,
            ProjectionExpression: '#p0',
            ExpressionAttributeNames: { '#p0': 'sk' },
          },
        },
      },
    ]);
  });

  it('is read with eight calls at once', async () => {
    let underWay = 0;
    let most = 0;
    vi.spyOn(documents, 'send').mockImplementation(async () => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      return {};
    });
    expect(await batchGetItems('records', keysOf('a', 1000))).toEqual([]);
    expect(most).toBe(8);
  });
});

it('a program has records of a kind from the first on, as a consistent read of one key says', async () => {
  const programId = randomUUID();
  expect(await hasRecords(programId, 'COUPON')).toBe(false);
  for (const sk of ['1', '2']) await putItem('records', { pk: partition(programId, 'COUPON'), sk });
  const sent = sentInputs();
  expect(await hasRecords(programId, 'COUPON')).toBe(true);
  expect(await hasRecords(programId, 'SALE')).toBe(false);
  expect(sent()[0]).toMatchObject({ ProjectionExpression: 'sk', ConsistentRead: true, Limit: 1 });
});
