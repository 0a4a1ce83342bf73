import { describe, expect, it, vi } from 'vitest';
import { sharedReads } from '../../shared/platform/table/shared-reads.ts';

const reader = () => {
  const readMany = vi.fn(async (ids: Iterable<string>) => new Map([...ids].map((id) => [id, `record ${id}`])));
  return { readMany, read: sharedReads(readMany) };
};

describe('shared reads', () => {
  it('read what is asked for at the same moment together, and each record once', async () => {
    const { readMany, read } = reader();
    const found = await Promise.all([read(['a', 'b']), read(['b', 'c', 'b']), read([])]);
    expect(found.map((records) => [...records])).toEqual([
      [
        ['a', 'record a'],
        ['b', 'record b'],
      ],
      [
        ['b', 'record b'],
        ['c', 'record c'],
      ],
      [],
    ]);
    await read(['a', 'd']);
    expect(readMany.mock.calls).toEqual([[['a', 'b', 'c']], [['d']]]);
  });

  it('leave out what is not there, and fail for whoever asked where a read fails', async () => {
    const readMany = vi.fn(async () => new Map<string, string>());
    const read = sharedReads(readMany);
    expect(await read(['a'])).toEqual(new Map());
    readMany.mockRejectedValueOnce(new Error('no table'));
    await expect(read(['b'])).rejects.toThrow('no table');
  });
});
