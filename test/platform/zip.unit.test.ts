import { randomBytes } from 'node:crypto';
import { strFromU8, unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { type ZipEntry, zipped } from '../../shared/platform/objects/zip.ts';

async function* of<Item>(...items: Item[]): AsyncGenerator<Item> {
  yield* items;
}

const at = new Date('2026-01-31T12:00:00Z');

const archiveOf = async (...entries: ZipEntry[]): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(zipped(of(...entries), at)));

it('an archive has its files, in folders, with all of their text', async () => {
  const long = Array.from({ length: 50 }, () => randomBytes(50_000).toString('hex'));
  const archive = await archiveOf(
    { name: 'README.txt', content: of('Zoë, ', '日本\n') },
    { name: 'records/empty.jsonl', content: of() },
    { name: 'records/sales.jsonl', content: of(...long) },
  );
  const files = Object.entries(unzipSync(archive)).map(([name, content]) => [name, strFromU8(content)]);
  expect(files).toEqual([
    ['README.txt', 'Zoë, 日本\n'],
    ['records/empty.jsonl', ''],
    ['records/sales.jsonl', long.join('')],
  ]);
});

it('the same files make the same archive', async () => {
  const one = () => archiveOf({ name: 'a.csv', content: of('a,b\n') });
  expect(await one()).toEqual(await one());
});

it('a file that fails ends the archive with its error', async () => {
  async function* broken(): AsyncGenerator<string> {
    yield 'a';
    throw new Error('the table is away');
  }
  await expect(archiveOf({ name: 'a.csv', content: broken() })).rejects.toThrow('the table is away');
});

it('pieces come as they are made: no file is in memory as a whole', async () => {
  let read = 0;
  async function* counted(): AsyncGenerator<string> {
    for (; read < 100; read++) yield randomBytes(50_000).toString('hex');
  }
  const pieces = zipped(of({ name: 'a.csv', content: counted() }), at);
  await pieces.next();
  await pieces.next();
  expect(read).toBeLessThan(10);
});
