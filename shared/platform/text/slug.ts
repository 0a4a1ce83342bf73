import { latinToAscii } from './words.ts';

/** Other scripts need a table of 547 KB, so it is loaded for them only. */
const toAscii = async (words: string): Promise<string> =>
  /^[\p{ASCII}\p{Script=Latin}]*$/u.test(words) ? latinToAscii(words) : (await import('any-ascii')).default(words);

/** Lower-case letters, digits and single hyphens: at most 80. Empty where the words have none. */
export const slugOf = async (words: string): Promise<string> =>
  (await toAscii(words))
    .toLowerCase()
    .replaceAll(/['’`]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 80);

/** Candidates until one is free: first with small numbers, then with random ones. */
export const slugCandidates = function* (base: string, randomNumber: () => number): Generator<string> {
  yield base;
  for (let number = 2; number <= 5; number++) yield `${base}-${number}`;
  for (;;) yield `${base}-${randomNumber()}`;
};
