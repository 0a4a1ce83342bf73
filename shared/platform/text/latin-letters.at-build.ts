import anyAscii from 'any-ascii';

/** No letter of a later code point is Latin. */
const lastLatinLetter = 0x1df2a;

const withoutMarks = (letter: string): string => letter.normalize('NFKD').replaceAll(/\p{M}/gu, '');

const letters = Array.from({ length: lastLatinLetter + 1 }, (_, codePoint) => String.fromCodePoint(codePoint)).filter(
  (letter) => /\p{Script=Latin}/u.test(letter),
);

/** Latin letters that are more than an ASCII letter with marks, in ASCII: 8 KB instead of the 547 of all scripts. */
export const latinLetters: Readonly<Record<string, string>> = Object.fromEntries(
  letters.flatMap((letter) => {
    const ascii = anyAscii(letter);
    return ascii === withoutMarks(letter) ? [] : [[letter, ascii]];
  }),
);
