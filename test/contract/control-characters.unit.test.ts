import { expect, it } from 'vitest';
import type * as z from 'zod';
import { baseUrlLines, metadata } from '../../shared/contract/fields.ts';
import { operations } from '../../shared/contract/operations.ts';
import { referralOperations } from '../../shared/contract/referrals.ts';

/** C0, DEL and C1 but for tabs and line breaks. */
const refused = [...Array.from({ length: 0x20 }, (_, at) => at), ...Array.from({ length: 0x21 }, (_, at) => 0x7f + at)]
  .map((at) => String.fromCharCode(at))
  .filter((character) => !'\t\n\r'.includes(character));

/** Every schema of a text inside a schema, with the path to it. */
const textsIn = (schema: z.core.$ZodType, path: string): [path: string, text: z.core.$ZodType][] => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      return [[path, schema]];
    case 'optional':
    case 'nullable':
    case 'default':
      return textsIn(def.innerType, path);
    case 'pipe':
      return [...textsIn(def.in, path), ...textsIn(def.out, path)];
    case 'array':
      return textsIn(def.element, `${path}[]`);
    case 'union':
      return def.options.flatMap((option) => textsIn(option, path));
    case 'object':
      return Object.entries(def.shape).flatMap(([name, inner]) => textsIn(inner, `${path}.${name}`));
    default:
      return [];
  }
};

const texts = operations.flatMap(({ id, query, body }) => [
  ...textsIn(query, `${id} query`),
  ...(body ? textsIn(body, `${id} body`) : []),
]);

it('there are texts in many operations', () => {
  expect(texts.length).toBeGreaterThan(100);
});

it.each(texts)('%s takes no control characters', (_, schema) => {
  const accepts = (value: string) => (schema as z.ZodType).safeParse(value).success;
  expect(refused.filter((character) => accepts(`a${character}b`))).toEqual([]);
});

it('metadata takes tabs and line breaks in its values, and no other control characters anywhere', () => {
  const value = { note: 'one\r\n\ttwo' };
  expect(metadata.parse(value)).toEqual(value);
  for (const character of refused) {
    expect(metadata.safeParse({ note: `a${character}` }).error?.issues[0]?.path).toEqual(['note']);
    expect(metadata.safeParse({ [`a${character}`]: 1 }).success).toBe(false);
  }
});

it('what has several lines takes line breaks, and a name takes none', () => {
  type ReferralOperation = (typeof referralOperations)[number];
  const updateReferral = referralOperations.find(
    (operation): operation is Extract<ReferralOperation, { id: 'updateReferral' }> => operation.id === 'updateReferral',
  );
  const parse = (fields: object) =>
    updateReferral?.body.safeParse({ referralId: '01900000-0000-7000-8000-000000000001', ...fields }).success;
  expect(parse({ notes: 'one\ntwo\tthree' })).toBe(true);
  expect(parse({ notes: 'one\u0007' })).toBe(false);
  expect(parse({ name: 'one\ntwo' })).toBe(false);
  expect(baseUrlLines.parse('https://a.example\nhttps://b.example')).toHaveLength(2);
});
