import { expect, it, vi } from 'vitest';
import { rememberedReads } from '../../../shared/domain/imports/remembered-reads.ts';

const readerOf = (maxBatchSize?: number) => {
  const readMany = vi.fn(async (keys: readonly string[]) => keys.map((key) => `value of ${key}`));
  return { readMany, read: rememberedReads(readMany, maxBatchSize) };
};

it('what is asked for at the same moment is read together, and each value once', async () => {
  const { readMany, read } = readerOf();
  expect(await Promise.all([read('a'), read('b'), read('a')])).toEqual(['value of a', 'value of b', 'value of a']);
  await read.ahead(['b', null, undefined, '', 'c', 'c']);
  expect(await read('c')).toBe('value of c');
  expect(readMany.mock.calls).toEqual([[['a', 'b']], [['c']]]);
});

it('an index that finds one value at a time gets one key at a time', async () => {
  const { readMany, read } = readerOf(1);
  expect(await Promise.all([read('a'), read('b')])).toEqual(['value of a', 'value of b']);
  expect(readMany.mock.calls).toEqual([[['a']], [['b']]]);
});

it('a read that failed is made again', async () => {
  const { readMany, read } = readerOf();
  readMany.mockRejectedValueOnce(new Error('no table'));
  await expect(read('a')).rejects.toThrow('no table');
  expect(await read('a')).toBe('value of a');
});

it('5,000 values are remembered, and all are forgotten before one more', async () => {
  const { readMany, read } = readerOf();
  const keys = Array.from({ length: 5000 }, (_, at) => `${at}`);
  await read.ahead(keys);
  await read.ahead(keys);
  expect(readMany).toHaveBeenCalledTimes(1);
  await read('one more');
  await read('0');
  expect(readMany).toHaveBeenCalledTimes(3);
});
