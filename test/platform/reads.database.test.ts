import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { deployedName } from '../../shared/platform/table/deployed-name.ts';
import { putItem } from '../../shared/platform/table/items.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { deletionName, readDeletions } from '../../shared/platform/table/reads.ts';
import { makeNote, moment, notes, notesIn, type StoredNote, sentCommands, storeNotes } from '../support/notes.ts';

let programId: string;
let stored: StoredNote[];
let first: StoredNote;
let second: StoredNote;
let deleted: StoredNote;
const stranger = makeNote(0).id;

const storeTombstone = (note: Record<string, unknown> & { id: string }, kind = 'COUPON') =>
  putItem('records', { pk: partition(programId, 'TOMBSTONE', kind), sk: note.id, ...note });

beforeAll(async () => {
  ({ programId, stored } = await storeNotes(3));
  const [one, two] = stored;
  if (!one || !two) throw new Error('Nothing is stored');
  [first, second] = [one, two];
  deleted = makeNote(9);
  await storeTombstone({ ...deleted, deletedAt: moment(10), by: 'MEMBER:1', ttl: 1 });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const batchesOf = (sent: ReturnType<typeof sentCommands>) =>
  sent().map(({ input }) => {
    const { Keys, ConsistentRead } = Object(input.RequestItems)[deployedName('records')];
    return { keys: Keys.map(({ sk }: { sk: string }) => sk), isConsistent: ConsistentRead };
  });

describe('a record', () => {
  it('is read by its id in its program, consistently and parsed', async () => {
    const sent = sentCommands();
    expect(await notes.get(programId, first.id)).toStrictEqual(first);
    expect(sent()).toMatchObject([{ name: 'GetCommand', input: { ConsistentRead: true } }]);
    expect(await notes.get(programId, stranger)).toBeUndefined();
    expect(await notes.get(randomUUID(), first.id)).toBeUndefined();
    expect(await notes.get(programId, deleted.id)).toBeUndefined();
  });

  it('that is out of shape is an error and no record', async () => {
    const key = { pk: partition(programId, 'COUPON'), sk: randomUUID() };
    await putItem('records', { ...key, ...makeNote(0), version: 'one' });
    await expect(notes.get(programId, key.sk)).rejects.toThrow('version');
  });
});

describe('several records', () => {
  it('are read by their ids, each once and consistently', async () => {
    const sent = sentCommands();
    const ids = [first.id, stranger, first.id, second.id];
    const expected = new Map([first, second].map((note) => [note.id, note]));
    expect(await notes.getMany(programId, ids)).toEqual(expected);
    expect(batchesOf(sent)).toEqual([{ keys: [first.id, stranger, second.id], isConsistent: true }]);
  });

  it('come from their tombstones where they are deleted, which are asked for then only', async () => {
    const sent = sentCommands();
    expect(await notes.getManyEvenDeleted(programId, [first.id])).toEqual(new Map([[first.id, first]]));
    expect(batchesOf(sent)).toEqual([{ keys: [first.id], isConsistent: true }]);
    const found = await notes.getManyEvenDeleted(programId, [first.id, deleted.id, stranger, deleted.id]);
    expect([...found.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual([first, deleted]);
    expect(batchesOf(sent).slice(1)).toEqual([
      { keys: [first.id, deleted.id, stranger], isConsistent: true },
      { keys: [deleted.id, stranger], isConsistent: true },
    ]);
  });

  it('come in one round trip where that is asked for, from the record if both are there', async () => {
    await storeTombstone({ ...second, name: 'as it was', deletedAt: moment(10) });
    const sent = sentCommands();
    const ids = [second.id, deleted.id];
    const found = await notes.getManyEvenDeleted(programId, ids, { inOneTrip: true });
    expect([found.get(second.id), found.get(deleted.id)]).toEqual([second, deleted]);
    expect(batchesOf(sent)).toEqual([
      { keys: ids, isConsistent: true },
      { keys: ids, isConsistent: false },
    ]);
  });
});

it('deletions are known by kind and id, with when and by whom, where there is a tombstone', async () => {
  const other = { id: randomUUID(), deletedAt: moment(11) };
  const timeless = randomUUID();
  await storeTombstone(other, 'SALE');
  await storeTombstone({ id: timeless, note: 'without its time' });
  const names = [deletionName('COUPON', deleted.id), deletionName('SALE', other.id), deletionName('COUPON', timeless)];
  expect(names[0]).toBe(`COUPON/${deleted.id}`);
  const expected = new Map<string, unknown>([
    [names[0] ?? '', { at: moment(10), by: 'MEMBER:1' }],
    [names[1] ?? '', { at: moment(11), by: undefined }],
  ]);
  expect(await readDeletions(programId, [...names, deletionName('SALE', deleted.id)])).toEqual(expected);
  expect(await readDeletions(randomUUID(), names)).toEqual(new Map());
});

describe('by a value', () => {
  beforeAll(async () => {
    const pk = partition(programId, 'COUPON', 'EXTERNAL_ID');
    const entries = ['ann', 'anna', 'annabel', 'ben'].map((sk, at) => ({ pk, sk, id: stored[at % 3]?.id, ref: 'x' }));
    await Promise.all(entries.map((entry) => putItem('records', entry)));
  });

  it('the id of a record is found with what belongs to it, and the record in a second read', async () => {
    const sent = sentCommands();
    expect(await notes.findName(programId, 'EXTERNAL_ID', 'anna')).toMatchObject({ id: second.id, ref: 'x' });
    expect(await notes.find(programId, 'EXTERNAL_ID', 'anna')).toEqual(second);
    expect(sent()).toHaveLength(3);
    expect(await notes.find(programId, 'EXTERNAL_ID', 'an')).toBeUndefined();
    expect(await notes.findName(randomUUID(), 'EXTERNAL_ID', 'anna')).toBeUndefined();
    expect(sent()).toHaveLength(5);
  });

  it('that is out of shape nothing is found', async () => {
    await putItem('records', { pk: partition(programId, 'COUPON', 'EXTERNAL_ID'), sk: 'zoe', id: 7 });
    await expect(notes.findName(programId, 'EXTERNAL_ID', 'zoe')).rejects.toThrow('id');
  });

  it.each([
    ['', { count: 3 }, ['ann', 'anna', 'annabel']],
    ['', { count: 1, isDescending: false }, ['ann']],
    ['ann', { count: 9 }, ['ann', 'anna', 'annabel']],
    ['ann', { count: 9, isDescending: true }, ['annabel', 'anna', 'ann']],
    ['ann', { count: 9, after: 'anna' }, ['annabel']],
    ['ann', { count: 9, after: 'anna', isDescending: true }, ['ann']],
    ['anna', { count: 1 }, ['anna']],
    ['b', { count: 9 }, ['ben']],
    ['x', { count: 9 }, []],
  ])('that begin with %j, those of %j are %j, read consistently', async (prefix, range, values) => {
    const sent = sentCommands();
    const found = await notes.valuesBeginningWith(programId, 'EXTERNAL_ID', prefix, range);
    expect(found.map(({ value }) => value)).toEqual(values);
    for (const { id } of found) expect(stored.map((note) => note.id)).toContain(id);
    expect(sent()).toMatchObject([{ input: { ConsistentRead: true, Limit: range.count } }]);
  });
});

it('the newest of an index are found by id, as many as are asked for', async () => {
  const sent = sentCommands();
  const newest = stored.map(({ id }) => id).toReversed();
  expect(await notes.newestIds(programId, notesIn('all'), 2)).toEqual(newest.slice(0, 2));
  expect(sent()).toMatchObject([{ input: { IndexName: 'GSI1', Limit: 2 } }]);
  expect(await notes.newestIds(programId, notesIn('all'), 9)).toEqual(newest);
  expect(await notes.newestIds(programId, notesIn('none'), 9)).toEqual([]);
});
