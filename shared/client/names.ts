import type { Operation } from '../contract/operation.ts';

/** `Promotional codes` is `PromotionalCodes`. */
type Pascal<Words extends string> = Words extends `${infer First} ${infer Rest}`
  ? `${Capitalize<First>}${Pascal<Rest>}`
  : Capitalize<Words>;

type Singular<Plural extends string> = Plural extends `${infer Stem}ies`
  ? `${Stem}y`
  : Plural extends `${infer Stem}ches`
    ? `${Stem}ch`
    : Plural extends `${infer Stem}s`
      ? Stem
      : Plural;

type Named = Pick<Operation, 'id' | 'tag'>;

/** The part of the client that has an operation: the operation's tag, as in `promotionalCodes`. */
export type ResourceOf<O extends Named> = Uncapitalize<Pascal<O['tag']>>;

type Without<Id extends string, Noun extends string> = Id extends `${infer Before}${Noun}${infer After}`
  ? `${Before}${After}`
  : never;

type Get<Name extends string> = Name extends `read${infer Rest}` ? `get${Rest}` : Name;

/** `createPromotionalCodesInBulk` is `createInBulk`, and `readPromotionalCode` is `get`. */
export type MethodOf<O extends Named, Noun extends string = Pascal<O['tag']>> = Get<
  O['id'] extends `${string}${Noun}${string}`
    ? Without<O['id'], Noun>
    : O['id'] extends `${string}${Singular<Noun>}${string}`
      ? Without<O['id'], Singular<Noun>>
      : O['id']
>;

type Field<O extends Named> = `${Uncapitalize<Singular<Pascal<O['tag']>>>}Id` | 'id';

/** The field of a body that names the record to act on: `promotionalCodeId`, or `id`. */
export type RecordFieldOf<O extends Named, Body> = Extract<keyof Body, Field<O>>;

const pascal = (words: string): string =>
  words
    .split(' ')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const uncapitalized = (word: string): string => word.charAt(0).toLowerCase() + word.slice(1);

const singular = (plural: string): string => plural.replace(/ies$/, 'y').replace(/ches$/, 'chs').replace(/s$/, '');

export const resourceOf = ({ tag }: Named): string => uncapitalized(pascal(tag));

export const nounOf = ({ tag }: Pick<Operation, 'tag'>): string => singular(pascal(tag));

export const methodOf = ({ id, tag }: Named): string => {
  const noun = [pascal(tag), nounOf({ tag })].find((name) => id.includes(name)) ?? '';
  return id.replace(noun, '').replace(/^read/, 'get');
};

export const recordFieldOf = ({ tag }: Pick<Operation, 'tag'>, fields: readonly string[]): string | undefined =>
  [`${uncapitalized(nounOf({ tag }))}Id`, 'id'].find((name) => fields.includes(name));
