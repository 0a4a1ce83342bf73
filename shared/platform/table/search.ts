import { wordsOf } from '../text/words.ts';
import type { NamedUniqueValue, StoredRecord } from './keys.ts';
import { ConcurrentModificationError } from './keys.ts';
import { Page, type PageRequest } from './page.ts';
import { type OnIdsFound, withoutOneMore } from './pages.ts';

export interface Searched {
  name: string | null;
  email: string | null;
}

interface Searchable extends StoredRecord {
  searchWords: readonly string[];
}

/** Each costs two write units when the record is created, and two when it is deleted. */
const maxWords = 6;
/** So that an email is always found by its beginning. */
const maxWordsOfName = 4;
const maxWordCharacters = 40;

const shortened = (word: string): string => [...word].slice(0, maxWordCharacters).join('');

/** The words that are indexed: of the name, then of the email without its top-level domain. */
export const searchWordsOf = ({ name, email }: Searched): string[] => {
  const words = [...wordsOf(name ?? '').slice(0, maxWordsOfName), ...wordsOf(email?.replace(/\.[^.@]*$/, '') ?? '')];
  return [...new Set(words.map(shortened))].slice(0, maxWords);
};

export const searchEntries = ({ id, searchWords }: Searchable): Omit<NamedUniqueValue, 'name'>[] =>
  searchWords.map((word) => ({
    value: `${word}#${id}`,
    refusal: () => new ConcurrentModificationError(`The search entry ${word} of ${id} exists already`),
  }));

const maxExamined = 1000;
const furtherChunk = 100;

interface SearchStore<Stored, Name = 'WORD'> {
  getMany: (programId: string, ids: Iterable<string>) => Promise<ReadonlyMap<string, Stored>>;
  valuesBeginningWith: (
    programId: string,
    name: Name,
    prefix: string,
    range: { count: number; after?: string | undefined; isDescending?: boolean },
  ) => Promise<readonly { value: string; id: string }[]>;
}

interface Search<Stored> {
  text: string;
  searched: (record: Stored) => Searched;
  keep: (record: Stored) => boolean;
  isDescending?: boolean;
  onFound?: OnIdsFound | undefined;
}

const matcherOf = <Stored extends Searchable>({ text, searched, keep }: Search<Stored>, request: PageRequest) => {
  const { createdAfter = '', createdBefore = '9', updatedAfter = '' } = request;
  const sought = wordsOf(text);
  return (record: Stored): boolean => {
    const { name, email } = searched(record);
    const words = wordsOf(`${name ?? ''} ${email ?? ''}`);
    return (
      sought.every((one) => words.some((word) => word.startsWith(one))) &&
      record.createdAt >= createdAfter &&
      record.createdAt < createdBefore &&
      record.updatedAt > updatedAfter &&
      keep(record)
    );
  };
};

/** The first word is looked up; all must begin a word of the record. A page that reads much to find little ends early. */
export const searchRecords = async <Stored extends Searchable>(
  store: SearchStore<Stored>,
  programId: string,
  search: Search<Stored>,
  request: PageRequest,
): Promise<Page<Stored>> => {
  const anchor = shortened(wordsOf(search.text)[0] ?? '');
  const { isDescending = false } = search;
  const { limit } = request;
  const matches = matcherOf(search, request);
  const found: { item: Stored; position: string }[] = [];
  let { after } = request;
  let examined = 0;
  while (anchor !== '' && examined < maxExamined) {
    const count = examined === 0 ? limit + 1 : Math.max(limit + 1, furtherChunk);
    const all = await store.valuesBeginningWith(programId, 'WORD', anchor, { count, after, isDescending });
    const entries = withoutOneMore(all);
    const ids = entries.map(({ id }) => id);
    search.onFound?.(ids);
    const byId = await store.getMany(programId, ids);
    for (const { id, value } of entries) {
      const record = byId.get(id);
      // A record with several such words comes once, with the first of them.
      const words = record?.searchWords.filter((word) => word.startsWith(anchor)).toSorted() ?? [];
      if (!record || `${words.at(isDescending ? -1 : 0)}#${id}` !== value || !matches(record)) continue;
      if (found.length === limit) return new Page(found, found.at(-1)?.position);
      found.push({ item: record, position: value });
    }
    if (all.length < count && entries.length === all.length) return new Page(found, undefined);
    if (entries.length < all.length && found.length === limit) return new Page(found, found.at(-1)?.position);
    after = entries.at(-1)?.value;
    examined += request.isOneRead ? maxExamined : entries.length;
  }
  return new Page(found, after);
};

interface ByValue<Stored, Name> {
  name: Name;
  prefix: string;
  keep: (record: Stored) => boolean;
  isDescending?: boolean;
}

/** In the order of a unique value, or the reverse, of those that begin with `prefix`. One read, which `keep` may leave little of. */
export const pageByValue = async <Stored extends StoredRecord, Name>(
  store: SearchStore<Stored, Name>,
  programId: string,
  { name, prefix, keep, isDescending = false }: ByValue<Stored, Name>,
  request: PageRequest,
): Promise<Page<Stored>> => {
  const { limit, after, createdAfter = '', createdBefore = '9', updatedAfter = '' } = request;
  const read = await store.valuesBeginningWith(programId, name, prefix, { count: limit + 1, after, isDescending });
  const entries = read.slice(0, limit);
  const byId = await store.getMany(
    programId,
    entries.map(({ id }) => id),
  );
  const found = entries.flatMap(({ id, value }) => {
    const record = byId.get(id);
    const isWithin = record && record.createdAt >= createdAfter && record.createdAt < createdBefore;
    return isWithin && record.updatedAt > updatedAfter && keep(record) ? [{ item: record, position: value }] : [];
  });
  return new Page(found, read.length > limit ? entries.at(-1)?.value : undefined);
};
