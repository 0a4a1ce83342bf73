import { describe, expect, it } from 'vitest';
import { searchWordsOf } from '../../shared/platform/table/search.ts';
import { wordsOf } from '../../shared/platform/text/words.ts';

describe('words to search by', () => {
  it.each([
    ['Zoë Łukasz-Østergård', ['zoe', 'lukasz', 'ostergard']],
    ['STRAẞE', ['strasse']],
    ['Zoe\u0308', ['zoe']],
    ["O'Neil", ['o', 'neil']],
    ['Иван Петров', ['иван', 'петров']],
    ['山田 太郎', ['山田', '太郎']],
    ['नमस्ते', ['नमस्ते']],
    ['anna Anna ANNA', ['anna']],
    ['… 😀 –', []],
  ])('of %j are %j', (text, words) => expect(wordsOf(text)).toEqual(words));

  it('of a record are those of the name, then of the email without its top-level domain, each once', () =>
    expect(searchWordsOf({ name: 'Amara Okafor', email: 'amara.o@shop.example.com' })).toEqual([
      'amara',
      'okafor',
      'o',
      'shop',
      'example',
    ]));

  it('of a record are six at most, four of them of its name, of 40 characters at most', () => {
    expect(searchWordsOf({ name: 'a b c d e f g', email: 'h.i@j.com' })).toEqual(['a', 'b', 'c', 'd', 'h', 'i']);
    expect(searchWordsOf({ name: 'x'.repeat(100), email: null })).toEqual(['x'.repeat(40)]);
    expect(searchWordsOf({ name: null, email: null })).toEqual([]);
  });
});
