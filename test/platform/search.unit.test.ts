import { describe, expect, it, vi } from 'vitest';
import type { PageRequest } from '../../shared/platform/table/page.ts';
import { pageByValue, searchEntries, searchRecords, searchWordsOf } from '../../shared/platform/table/search.ts';

interface Person {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string | null;
  email: string | null;
  searchWords: readonly string[];
}

const day = (number: number): string => `2026-03-${String(number).padStart(2, '0')}T00:00:00.000Z`;

const person = (id: string, name: string | null, more: Partial<Person> = {}): Person => {
  const { email = null } = more;
  const searchWords = searchWordsOf({ name, email });
  return { id, name, email, createdAt: day(1), updatedAt: day(1), version: 1, searchWords, ...more };
};

/** A store in memory, which says what was read. */
const storeOf = (people: readonly Person[]) => {
  const entries = people
    .flatMap((one) => searchEntries(one).map(({ value }) => ({ value, id: one.id })))
    .toSorted((one, other) => (one.value < other.value ? -1 : 1));
  const byId = new Map(people.map((one) => [one.id, one]));
  const valuesBeginningWith = vi.fn(
    async (
      _programId: string,
      _name: string,
      prefix: string,
      { count, after, isDescending }: { count: number; after?: string | undefined; isDescending?: boolean },
    ) => {
      const ordered = isDescending ? entries.toReversed() : entries;
      const start = after === undefined ? 0 : ordered.findIndex(({ value }) => value === after) + 1;
      return ordered
        .slice(start)
        .filter(({ value }) => value.startsWith(prefix))
        .slice(0, count);
    },
  );
  const getMany = vi.fn(
    async (_programId: string, ids: Iterable<string>) =>
      new Map([...ids].flatMap((id) => [byId.get(id) ?? []].flat().map((one) => [one.id, one]))),
  );
  return { valuesBeginningWith, getMany, remove: (id: string) => byId.delete(id) };
};

type Store = ReturnType<typeof storeOf>;

const idsOf = ({ items }: { items: readonly Person[] }): string[] => items.map(({ id }) => id);
const readCounts = ({ valuesBeginningWith }: Store): number[] =>
  valuesBeginningWith.mock.calls.map(([, , , { count }]) => count);

const search = (store: Store, text: string, request: Partial<PageRequest> = {}, more: object = {}) =>
  searchRecords(
    store,
    'program',
    { text, searched: ({ name, email }: Person) => ({ name, email }), keep: () => true, ...more },
    { limit: 10, ...request },
  );

describe('a search', () => {
  const anna = person('1', 'Anna Berg', { email: 'anna@home.example' });
  const annabel = person('2', 'Annabel Cole', { createdAt: day(5), updatedAt: day(6) });
  const berta = person('3', 'Berta Ann Annan');
  const nameless = person('4', null, { email: 'mail@bergen.example' });
  const all = [anna, annabel, berta, nameless];

  it.each<[string, string[]]>([
    ['ann', ['3', '1', '2']],
    ['ANN berg', ['1']],
    ['berg ann', ['1']],
    ['anna', ['1', '2', '3']],
    ['annabel cole', ['2']],
    ['cole anna', ['2']],
    ['bergen', ['4']],
    ['mail', ['4']],
    ['null', []],
    ['nna', []],
    ['ann cole berg', []],
    ['', []],
    ['…', []],
  ])('for %j finds those who have a word that begins with each of its words: %j', async (text, ids) =>
    expect(idsOf(await search(storeOf(all), text))).toEqual(ids),
  );

  it('without a word reads nothing', async () => {
    const store = storeOf(all);
    expect(await search(store, '-')).toMatchObject({ items: [], next: undefined });
    expect(store.valuesBeginningWith).not.toHaveBeenCalled();
  });

  it('comes in the opposite order where asked, with each record once', async () =>
    expect(idsOf(await search(storeOf(all), 'ann', {}, { isDescending: true }))).toEqual(['3', '2', '1']));

  it('looks words up by their first 40 characters, and compares all of them', async () => {
    const long = 'x'.repeat(41);
    const store = storeOf([person('1', long), person('2', `${'x'.repeat(40)}y`)]);
    expect(idsOf(await search(store, long))).toEqual(['1']);
    expect(store.valuesBeginningWith.mock.calls[0]).toEqual([
      'program',
      'WORD',
      'x'.repeat(40),
      { count: 11, after: undefined, isDescending: false },
    ]);
  });

  it.each<[Partial<PageRequest>, string[]]>([
    [{ createdAfter: day(5) }, ['2']],
    [{ createdAfter: `${day(5)}1` }, []],
    [{ createdBefore: day(5) }, ['3', '1']],
    [{ createdBefore: `${day(5)}1` }, ['3', '1', '2']],
    [{ updatedAfter: day(6) }, []],
    [{ updatedAfter: day(5) }, ['2']],
    [{ updatedAfter: day(1) }, ['2']],
  ])('keeps to the time of the request: %j', async (request, ids) =>
    expect(idsOf(await search(storeOf(all), 'ann', request))).toEqual(ids),
  );

  it('leaves out what its filter refuses, and records that are gone', async () => {
    const store = storeOf(all);
    const keep = ({ id }: Person) => id !== '1';
    expect(idsOf(await search(store, 'ann', {}, { keep }))).toEqual(['3', '2']);
    store.remove('3');
    expect(idsOf(await search(store, 'ann'))).toEqual(['1', '2']);
  });

  it('tells the ids of each read before their records are read', async () => {
    const store = storeOf(all);
    const found: string[][] = [];
    const onFound = (ids: string[]) => {
      expect(store.getMany).toHaveBeenCalledTimes(found.length);
      found.push(ids);
    };
    await search(store, 'ann', { limit: 1 }, { onFound, keep: ({ id }: Person) => id === '2' });
    expect(found).toEqual([
      ['3', '1'],
      ['2', '3'],
    ]);
  });
});

describe('a page of a search', () => {
  const crowd = (count: number, name: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => person(String(at).padStart(4, '0'), name(at)));

  it('has as many records as its limit, and goes on after the last of them', async () => {
    const store = storeOf(crowd(5, () => 'Ann'));
    expect((await search(store, 'ann', { limit: 3 })).next).toBe('ann#0002');
    const first = await search(store, 'ann', { limit: 2 });
    expect([idsOf(first), first.next]).toEqual([['0000', '0001'], 'ann#0001']);
    const second = await search(store, 'ann', { limit: 2, after: first.next });
    expect([idsOf(second), second.next]).toEqual([['0002', '0003'], 'ann#0003']);
    const last = await search(store, 'ann', { limit: 2, after: second.next });
    expect([idsOf(last), last.next]).toEqual([['0004'], undefined]);
    expect(readCounts(store)).toEqual([4, 3, 3, 3]);
  });

  it('of just as many records as its limit is the last one', async () =>
    expect((await search(storeOf(crowd(2, () => 'Ann')), 'ann', { limit: 2 })).next).toBeUndefined());

  it('reads on in hundreds where filters leave out much', async () => {
    const store = storeOf(crowd(250, (at) => (at % 100 === 99 ? 'Ann Right' : 'Ann Wrong')));
    const page = await search(store, 'ann right', { limit: 2 });
    expect([idsOf(page), page.next]).toEqual([['0099', '0199'], undefined]);
    expect(readCounts(store)).toEqual([3, 100, 100, 100]);
    const afters = store.valuesBeginningWith.mock.calls.map(([, , , { after }]) => after);
    expect(afters).toEqual([undefined, 'ann#0002', 'ann#0102', 'ann#0202']);
  });

  it('reads on in its own size where that is larger', async () => {
    const store = storeOf(crowd(300, () => 'Ann Wrong'));
    await search(store, 'ann right', { limit: 150 });
    expect(readCounts(store)).toEqual([151, 151]);
  });

  it('that has read a thousand entries ends early, and the next one goes on there', async () => {
    const store = storeOf(crowd(1300, (at) => (at === 1250 ? 'Ann Right' : 'Ann Wrong')));
    const early = await search(store, 'ann right', { limit: 99 });
    expect([idsOf(early), early.next]).toEqual([[], 'ann#0999']);
    expect(readCounts(store)).toEqual(Array(10).fill(100));
    expect(idsOf(await search(store, 'ann right', { limit: 99, after: early.next }))).toEqual(['1250']);
  });

  it('of one read ends after it', async () => {
    const store = storeOf(crowd(300, (at) => (at === 0 ? 'Ann Right' : 'Ann Wrong')));
    const page = await search(store, 'ann right', { limit: 2, isOneRead: true });
    expect([idsOf(page), page.next]).toEqual([['0000'], 'ann#0002']);
    expect(readCounts(store)).toEqual([3]);
  });
});

describe('a page in the order of a value', () => {
  const people = [1, 2, 3, 4].map((number) => person(String(number), `Ann${number}`, { createdAt: day(number) }));
  const read = (store: Store, request: Partial<PageRequest>, keep: (one: Person) => boolean = () => true) =>
    pageByValue(store, 'program', { name: 'WORD', prefix: 'ann', keep }, { limit: 10, ...request });

  it.each<[Partial<PageRequest>, string[], string | undefined]>([
    [{}, ['1', '2', '3', '4'], undefined],
    [{ limit: 4 }, ['1', '2', '3', '4'], undefined],
    [{ limit: 3 }, ['1', '2', '3'], 'ann3#3'],
    [{ limit: 3, after: 'ann3#3' }, ['4'], undefined],
    [{ createdAfter: day(3) }, ['3', '4'], undefined],
    [{ createdBefore: day(3) }, ['1', '2'], undefined],
    [{ createdAfter: day(2), createdBefore: day(4) }, ['2', '3'], undefined],
    [{ limit: 2, createdAfter: day(4) }, [], 'ann2#2'],
  ])('for %j has %j and goes on after %j', async (request, ids, next) => {
    const store = storeOf(people);
    const page = await read(store, request);
    expect([idsOf(page), page.next]).toEqual([ids, next]);
    const { limit = 10, after } = request;
    const range = { count: limit + 1, after, isDescending: false };
    expect(store.valuesBeginningWith.mock.calls).toEqual([['program', 'WORD', 'ann', range]]);
  });

  it('comes in the opposite order where asked, and keeps to the time of the last change', async () => {
    const order = { name: 'WORD', prefix: 'ann', keep: () => true, isDescending: true } as const;
    const request = { limit: 2, updatedAfter: day(3) };
    const edited = people.map((one) => ({ ...one, updatedAt: one.createdAt }));
    const page = await pageByValue(storeOf(edited), 'program', order, request);
    expect([idsOf(page), page.next]).toEqual([['4'], 'ann3#3']);
  });

  it('has the position of each record, and reads no record that it does not need', async () => {
    const store = storeOf(people);
    const page = await read(store, { limit: 2 });
    expect(page.entries.map(({ position }) => position)).toEqual(['ann1#1', 'ann2#2']);
    expect(store.getMany.mock.calls).toEqual([['program', ['1', '2']]]);
  });

  it('leaves out what its filter refuses, and records that are gone', async () => {
    const store = storeOf(people);
    store.remove('1');
    expect(idsOf(await read(store, {}, ({ id }) => id !== '3'))).toEqual(['2', '4']);
  });
});

it('the entry of a word is refused as a concurrent modification', () => {
  const [entry] = searchEntries(person('1', 'Ann'));
  expect(entry?.value).toBe('ann#1');
  expect(entry?.refusal()).toMatchObject({ name: 'ConcurrentModificationError' });
});
