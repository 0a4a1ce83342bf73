import { expect, it } from 'vitest';
import { latinLetters } from '../../shared/platform/text/latin-letters.at-build.ts';

it.each([
  ['ß', 'ss'],
  ['Æ', 'Ae'],
  ['ø', 'o'],
  ['Ł', 'L'],
  ['þ', 'th'],
  ['Ꜳ', 'Aa'],
  [String.fromCodePoint(0x1df2a), 't'],
])('the letter %s is %s', (letter, ascii) => expect(latinLetters[letter]).toBe(ascii));

it.each([
  ['a', 'is ASCII'],
  ['é', 'is an ASCII letter with a mark'],
  ['Ǖ', 'is one with two'],
  ['ﬁ', 'is two ASCII letters as they are'],
  ['Ж', 'is Cyrillic'],
  ['λ', 'is Greek'],
  ['山', 'is of no alphabet'],
])('%s is left out: it %s', (character) => expect(latinLetters).not.toHaveProperty(character));

it('they stay small, since every function that searches has them', () => {
  const text = JSON.stringify(latinLetters);
  expect(Buffer.byteLength(text)).toBeLessThan(9 * 1024);
  expect(text).not.toMatch(/\p{Surrogate}/u);
});
