import { latinLetters } from './latin-letters.at-build.ts';

const letterToAscii = (letter: string): string =>
  latinLetters[letter] ?? letter.normalize('NFKD').replaceAll(/\p{M}/gu, '');

/** Zoë is Zoe, Łukasz is Lukasz. Letters of other scripts stay. */
export const latinToAscii = (text: string): string =>
  text.normalize('NFC').replaceAll(/\p{Script=Latin}/gu, letterToAscii);

/** Lower-case and folded, in their order, each once. */
export const wordsOf = (text: string): string[] => [
  ...new Set(
    latinToAscii(text)
      .toLowerCase()
      .split(/[^\p{L}\p{M}\p{N}]/u)
      .filter(Boolean),
  ),
];
