import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Deletion, deleteInGroups } from '../../../shared/domain/deletions/groups.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { getItem } from '../../../shared/platform/table/items.ts';
import { ConcurrentModificationError } from '../../../shared/platform/table/keys.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import type { Write } from '../../../shared/platform/table/transaction.ts';
import { storeAll } from '../../support/sales.ts';

afterEach(() => vi.restoreAllMocks());

const pk = partition(randomUUID(), 'REFERRAL');
const removal = (sk: string): Write => ({
  Delete: {
    TableName: process.env.RECORDS_TABLE ?? '',
    Key: { pk, sk },
    ConditionExpression: 'attribute_exists(pk)',
  },
  refusal: () => new ConcurrentModificationError(`${sk} changed`),
});

const creation = (sk: string): Write => ({
  Put: { TableName: process.env.RECORDS_TABLE ?? '', Item: { pk, sk } },
  refusal: () => new Error('unconditional'),
});

/** Records of so many items each, which go together and then one by one. */
const records = async (count: number, items: { together: number; afterwards: number }): Promise<Deletion[]> => {
  const name = randomUUID();
  const all = Array.from({ length: count }, (_, record) => {
    const removals = (part: string, length: number) =>
      Array.from({ length }, (_none, item) => `${name}-${record}-${part}-${item}`);
    return { id: `${record}`, together: removals('t', items.together), afterwards: removals('a', items.afterwards) };
  });
  const keys = all.flatMap(({ together, afterwards }) => [...together, ...afterwards]);
  await storeAll(keys.map(creation));
  return all.map(({ id, together, afterwards }) => ({
    id,
    together: together.map(removal),
    afterwards: afterwards.map(removal),
  }));
};

/** How many writes each transaction has, and how many there are alone. */
const writesOf = async (deletions: readonly Deletion[]) => {
  const send = vi.spyOn(documents, 'send');
  const gone = await deleteInGroups(deletions);
  const calls = send.mock.calls.map(([{ input }]) =>
    'TransactItems' in input ? (input.TransactItems ?? []).length : 0,
  );
  send.mockRestore();
  return {
    gone: [...gone].toSorted((one, other) => Number(one) - Number(other)),
    transactions: calls.filter((count) => count > 0).toSorted((one, other) => other - one),
    alone: calls.filter((count) => count === 0).length,
  };
};
const ids = (count: number) => Array.from({ length: count }, (_, id) => String(id));
const isThere = async (sk: string) => (await getItem('records', { pk, sk })) !== undefined;
const keyOf = (write: Write | undefined): string => String(write?.Delete?.Key?.sk);

describe('records that are deleted in groups', () => {
  it.each([
    { count: 20, together: 2, afterwards: 0, transactions: [40], alone: 0 },
    { count: 21, together: 2, afterwards: 0, transactions: [40, 2], alone: 0 },
    { count: 20, together: 5, afterwards: 0, transactions: [100], alone: 0 },
    { count: 17, together: 6, afterwards: 0, transactions: [96, 6], alone: 0 },
    { count: 3, together: 2, afterwards: 2, transactions: [6], alone: 6 },
    { count: 3, together: 0, afterwards: 2, transactions: [], alone: 6 },
  ])(
    'go at most 20 and 100 writes at a time: $count of $together and $afterwards',
    async ({ count, transactions, alone, ...items }) => {
      const deletions = await records(count, items);
      expect(await writesOf(deletions)).toEqual({ gone: ids(count), transactions, alone });
      for (const { together, afterwards } of deletions.slice(-1))
        for (const write of [...together, ...afterwards]) expect(await isThere(keyOf(write))).toBe(false);
    },
  );

  it('are left with their whole group where one of it changed, and the other groups go', async () => {
    const deletions = await records(21, { together: 2, afterwards: 1 });
    await writesOf([{ id: 'first', together: deletions[3]?.together.slice(0, 1) ?? [], afterwards: [] }]);
    const { gone } = await writesOf(deletions);
    expect(gone).toEqual(['20']);
    expect(await isThere(keyOf(deletions[0]?.together[0]))).toBe(true);
    expect(await isThere(keyOf(deletions[0]?.afterwards[0]))).toBe(true);
    expect(await isThere(keyOf(deletions[20]?.afterwards[0]))).toBe(false);
  });

  it('are not gone where the last of their own items changed', async () => {
    const deletions = await records(3, { together: 1, afterwards: 2 });
    await writesOf([{ id: 'first', together: [], afterwards: deletions[1]?.afterwards.slice(1) ?? [] }]);
    expect((await writesOf(deletions)).gone).toEqual(['0', '2']);
    expect(await isThere(keyOf(deletions[1]?.afterwards[0]))).toBe(false);
  });

  it('report every other failure, and none where there is nothing to do', async () => {
    const broken: Write = { ...removal('none'), refusal: () => new Error('broken') };
    await expect(deleteInGroups([{ id: '0', together: [broken], afterwards: [] }])).rejects.toThrow('broken');
    await expect(deleteInGroups([{ id: '0', together: [], afterwards: [broken] }])).rejects.toThrow('broken');
    expect(await writesOf([])).toEqual({ gone: [], transactions: [], alone: 0 });
  });
});
