import MiniSearch from 'minisearch';

/** A part of a guide, or an operation of the API. */
export interface SearchEntry {
  page: string;
  heading: string;
  url: string;
  /** Where the same is without JavaScript, if elsewhere. */
  plainUrl?: string;
  text: string;
}

export interface SearchResult extends SearchEntry {
  excerpt: string;
}

const maxResults = 20;
const excerptLength = 160;

const excerptOf = (text: string, words: readonly string[]): string => {
  const lower = text.toLowerCase();
  const found = words.map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0);
  const start = Math.max(0, Math.min(...found, text.length) - 40);
  const from = start === 0 || found.length === 0 ? 0 : text.indexOf(' ', start) + 1;
  const part = text.slice(from, from + excerptLength);
  return `${from > 0 ? '… ' : ''}${part}${from + excerptLength < text.length ? ' …' : ''}`;
};

/** Words with a dot or an underscore, such as `sale.created`, are found whole and by their parts. */
const tokenize = (text: string): string[] => {
  const words = text.split(/[\s,;:!?()[\]{}"'`<>|=/]+/).map((word) => word.replaceAll(/^[.\-_]+|[.\-_]+$/g, ''));
  return [...words, ...words.filter((word) => /[._-]/.test(word)).flatMap((word) => word.split(/[._-]+/))].filter(
    Boolean,
  );
};

/** Returns a function that finds the entries for what somebody typed, best first. */
export const searchIn = (entries: readonly SearchEntry[]): ((query: string) => SearchResult[]) => {
  const index = new MiniSearch<SearchEntry & { id: number }>({
    fields: ['heading', 'page', 'text'],
    tokenize,
    searchOptions: { boost: { heading: 4, page: 2 }, prefix: true, fuzzy: (word) => (word.length > 5 ? 0.15 : false) },
  });
  index.addAll(entries.map((entry, id) => ({ ...entry, id })));
  return (query) => {
    const all = index.search(query, { combineWith: 'AND' });
    return (all.length > 0 ? all : index.search(query)).slice(0, maxResults).flatMap(({ id, terms }) => {
      const entry = entries[Number(id)];
      return entry ? [{ ...entry, excerpt: excerptOf(entry.text, terms) }] : [];
    });
  };
};
