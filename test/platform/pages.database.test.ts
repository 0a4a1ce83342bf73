import type { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { documents } from '../../shared/platform/table/client.ts';
import { deployedName } from '../../shared/platform/table/deployed-name.ts';
import { putItem } from '../../shared/platform/table/items.ts';
import type { PageRequest } from '../../shared/platform/table/page.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { costOf } from '../support/capacity.ts';
import { makeNote, moment, notes, notesIn, type StoredNote, sentCommands, storeNotes } from '../support/notes.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const namesOf = ({ items }: { items: readonly StoredNote[] }): number[] =>
  items.map(({ name }) => Number(name.replace('note ', '')));

describe.each([
  ['a kind', undefined],
  ['an index', notesIn('all')],
])('a page of %s', (_, entry) => {
  it.each<[Partial<PageRequest>, number[]]>([
    [{}, [4, 3, 2, 1, 0]],
    [{ isOldestFirst: false }, [4, 3, 2, 1, 0]],
    [{ isOldestFirst: true }, [0, 1, 2, 3, 4]],
    [{ createdAfter: moment(3) }, [4, 3]],
    [{ createdBefore: moment(3) }, [2, 1, 0]],
    [{ createdAfter: moment(1), createdBefore: moment(3) }, [2, 1]],
    [{ createdAfter: moment(1), createdBefore: moment(3), isOldestFirst: true }, [1, 2]],
    [{ createdAfter: moment(5) }, []],
    [{ createdBefore: moment(0) }, []],
    [{ updatedAfter: moment(3) }, [4]],
    [{ updatedAfter: moment(4) }, []],
  ])('for %j has %j', async (request, expected) => {
    const { programId } = await storeNotes(5);
    const page = await notes.page(programId, { limit: 10, ...request }, entry);
    expect([namesOf(page), page.next]).toEqual([expected, undefined]);
  });

  it.each([
    [false, [4, 3], [2, 1], [0]],
    [true, [0, 1], [2, 3], [4]],
  ])('goes on after the last record of the one before (oldest first: %s)', async (isOldestFirst, ...pages) => {
    const { programId, stored } = await storeNotes(5);
    let after: string | undefined;
    for (const expected of pages) {
      const page = await notes.page(programId, { limit: 2, after, isOldestFirst }, entry);
      expect(namesOf(page)).toEqual(expected);
      expect(page.entries.map(({ position }) => position)).toEqual(expected.map((at) => stored[at]?.id));
      after = page.next;
      expect(after).toBe(expected.length === 2 ? stored[expected[1] ?? 0]?.id : undefined);
    }
  });

  it('of just as many records as its limit is the last one', async () => {
    const { programId } = await storeNotes(3);
    expect((await notes.page(programId, { limit: 3 }, entry)).next).toBeUndefined();
    expect((await notes.page(programId, { limit: 2 }, entry)).next).not.toBeUndefined();
  });

  it('of a hundred records is read in one call of each kind, and says that there are more', async () => {
    const { programId } = await storeNotes(101);
    const sent = vi.spyOn(documents, 'send');
    const page = await notes.page(programId, { limit: 100 }, entry);
    expect(sent).toHaveBeenCalledTimes(entry ? 2 : 1);
    expect(namesOf(page)).toEqual(Array.from({ length: 100 }, (__, at) => 100 - at));
    const last = await notes.page(programId, { limit: 100, after: page.next }, entry);
    expect([namesOf(last), last.next]).toEqual([[0], undefined]);
    expect((await notes.page(programId, { limit: 101 }, entry)).next).toBeUndefined();
    const filtered = await notes.page(programId, { limit: 100 }, entry, ({ name }) => name !== 'note 50');
    expect([filtered.items.length, filtered.next]).toEqual([100, undefined]);
  });

  it('that may be old costs half', async () => {
    const { programId } = await storeNotes(8, () => ({ name: 'x'.repeat(3000) }));
    const unitsOf = async (isConsistent: boolean) =>
      (await costOf(() => notes.page(programId, { limit: 10, isConsistent }, entry))).readUnits;
    const index = entry ? (await costOf(() => notes.newestIds(programId, entry, 10))).readUnits : 0;
    expect((await unitsOf(true)) - index).toBe(2 * ((await unitsOf(false)) - index));
  });

  it('leaves out what its filter refuses, and reads on in larger steps', async () => {
    const { programId } = await storeNotes(105);
    const sent = sentCommands();
    const keep = ({ name }: StoredNote) => name === 'note 104' || name === 'note 2';
    expect(namesOf(await notes.page(programId, { limit: 2 }, entry, keep))).toEqual([104, 2]);
    const limits = sent().flatMap(({ name, input }) => (name === 'QueryCommand' ? [input.Limit] : []));
    expect(limits).toEqual([3, 100, 100]);
  });

  it('of one read ends after it, and the next one goes on there', async () => {
    const { programId } = await storeNotes(5);
    const keep = ({ name }: StoredNote) => name === 'note 0';
    const page = await notes.page(programId, { limit: 2, isOneRead: true }, entry, keep);
    expect(namesOf(page)).toEqual([]);
    const next = await notes.page(programId, { limit: 2, isOneRead: true, after: page.next }, entry, keep);
    expect(namesOf(next)).toEqual([0]);
  });

  it('between a time and an earlier one reads nothing', async () => {
    const { programId } = await storeNotes(2);
    const sent = sentCommands();
    const request = { limit: 2, createdAfter: moment(2), createdBefore: moment(1), after: 'one' };
    expect(await notes.page(programId, request, entry)).toMatchObject({ items: [], next: undefined });
    expect(sent()).toEqual([]);
  });

  it.each<[string, number, Partial<PageRequest>, number[]]>([
    ['begins later', 1, { createdAfter: moment(2) }, []],
    ['begins later', 1, { createdAfter: moment(2), isOldestFirst: true }, [2, 3, 4]],
    ['ends earlier', 3, { createdBefore: moment(3) }, [2, 1, 0]],
    ['ends earlier', 3, { createdBefore: moment(3), isOldestFirst: true }, []],
  ])('of a period that %s than the page before, after note %i, for %j has %j', async (__, at, request, expected) => {
    const { programId, stored } = await storeNotes(5);
    const sent = sentCommands();
    const page = await notes.page(programId, { limit: 10, after: stored[at]?.id, ...request }, entry);
    expect([namesOf(page), page.next]).toEqual([expected, undefined]);
    const queries = sent().filter(({ name }) => name === 'QueryCommand');
    expect(queries.map(({ input }) => input.ExclusiveStartKey)).toEqual(expected.length === 0 ? [] : [undefined]);
  });

  it('knows nothing of other programs', async () => {
    await storeNotes(2);
    const { programId } = await storeNotes(1);
    expect(namesOf(await notes.page(programId, { limit: 10 }, entry))).toEqual([0]);
  });

  it('is one of several if all are asked for', async () => {
    const { programId } = await storeNotes(102, (at) => ({ group: at === 0 ? 'other' : 'all' }));
    const found: StoredNote[] = [];
    for await (const note of notes.all(programId, entry)) found.push(note);
    const oldest = entry ? 1 : 0;
    expect(namesOf({ items: found })).toEqual(Array.from({ length: 102 - oldest }, (__, at) => 101 - at));
  });

  it.each([
    [10, [11, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100]],
    [199, [200, 200, 200, 200, 200]],
  ])('of at most %i records ends after a thousand that its filter refuses', async (limit, limits) => {
    let last = 0;
    const read: unknown[] = [];
    vi.spyOn(documents, 'send').mockImplementation((async ({ input }: QueryCommand) => {
      const { Limit = 0 } = input;
      if (!input.KeyConditionExpression) return {};
      read.push(Limit);
      const Items = Array.from({ length: Limit }, (__, at) => ({ ...makeNote(0), sk: `${last + at + 1}` }));
      last += Limit;
      return { Items, LastEvaluatedKey: { sk: `${last}` } };
    }) as typeof documents.send);
    const page = await notes.page('program', { limit }, entry, () => false);
    expect([page.items, page.next, read]).toEqual([[], String(last), limits]);
  });
});

describe('a page of a kind', () => {
  it('is one consistent read', async () => {
    const { programId } = await storeNotes(2);
    const sent = sentCommands();
    await notes.page(programId, { limit: 2 });
    expect(sent()).toMatchObject([
      { name: 'QueryCommand', input: { TableName: deployedName('records'), ConsistentRead: true, Limit: 3 } },
    ]);
  });
});

describe('a page of an index', () => {
  it.each([undefined, true, false])(
    'tells the ids that it found, then reads their records (consistently: %s)',
    async (isConsistent) => {
      const { programId, stored } = await storeNotes(2);
      const sent = sentCommands();
      const found: unknown[] = [];
      const onFound = (ids: readonly string[]) => found.push(ids, sent().length);
      const request = { limit: 5, ...(isConsistent !== undefined && { isConsistent }) };
      await notes.page(programId, request, notesIn('all'), () => true, onFound);
      expect(found).toEqual([stored.map(({ id }) => id).toReversed(), 1]);
      const RequestItems = { [deployedName('records')]: { ConsistentRead: isConsistent ?? true } };
      expect(sent()).toMatchObject([
        { name: 'QueryCommand', input: { IndexName: 'GSI1' } },
        { name: 'BatchGetCommand', input: { RequestItems } },
      ]);
    },
  );

  it('has those of its entry, without records that went since', async () => {
    const { programId } = await storeNotes(4, (at) => ({ group: at % 2 === 0 ? 'even' : 'odd' }));
    const gsi1pk = partition(programId, 'COUPON', 'GROUP', 'even');
    await putItem('records', { pk: partition(programId, 'SALE'), sk: makeNote(3).id, gsi1pk });
    expect(namesOf(await notes.page(programId, { limit: 9 }, notesIn('even')))).toEqual([2, 0]);
    expect(await notes.newestIds(programId, notesIn('even'), 9)).toHaveLength(3);
  });
});
