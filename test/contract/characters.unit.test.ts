import { expect, it } from 'vitest';
import * as z from 'zod';
import { codeReference, externalId, metadata, text } from '../../shared/contract/fields.ts';
import { codeText } from '../../shared/contract/promotional-code-record.ts';

it.each([
  ['the text of a code', codeText, 100],
  ['a reference to a code', codeReference, 100],
  ['an external id', externalId, 255],
  ['a name', text(200), 200],
])('%s has at most so many characters, as JSON Schema counts them: an emoji is one', (_, schema, most) => {
  for (const character of ['a', 'é', '😀']) {
    expect(schema.safeParse(character.repeat(most)).success).toBe(true);
    expect(schema.safeParse(character.repeat(most + 1)).error?.issues).toMatchObject([
      { code: 'too_big', origin: 'string', maximum: most },
    ]);
  }
  expect(z.toJSONSchema(schema)).toMatchObject({ minLength: 1, maxLength: most });
});

it('so have the keys and values of metadata', () => {
  const fits = (key: string, value: string) => metadata.safeParse({ [key]: value }).success;
  expect(fits('😀'.repeat(40), '😀'.repeat(500))).toBe(true);
  expect(fits('😀'.repeat(41), 'a')).toBe(false);
  expect(fits('a', '😀'.repeat(501))).toBe(false);
});
