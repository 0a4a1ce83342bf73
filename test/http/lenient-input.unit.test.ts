import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { formFields, lenientFields } from '../../shared/http/lenient-input.ts';

const read = (schema: z.ZodType, value: unknown): unknown => lenientFields({ field: schema }, { field: value }).field;

describe('a lenient field', () => {
  it.each<{ schema: z.ZodType; values: [given: unknown, read: unknown][] }>([
    {
      schema: z.number(),
      values: [
        ['7', 7],
        ['-12.50', -12.5],
        [' 0012 ', 12],
        ['0.125', 0.125],
        [7, 7],
        ['', undefined],
        ['7a', '7a'],
        ['a7', 'a7'],
        ['1e3', '1e3'],
        ['0x10', '0x10'],
        ['7.', '7.'],
        ['.5', '.5'],
        ['--7', '--7'],
        ['1.2.3', '1.2.3'],
        [true, true],
        [null, null],
      ],
    },
    {
      schema: z.boolean(),
      values: [
        ['true', true],
        ['False', false],
        [' TRUE ', true],
        [' false ', false],
        [true, true],
        [false, false],
        ['untrue', 'untrue'],
        ['truest', 'truest'],
        ['1', '1'],
        [1, 1],
        ['', undefined],
      ],
    },
    {
      schema: z.string(),
      values: [
        ['7', '7'],
        ['true', 'true'],
        ['[1]', '[1]'],
        ['', undefined],
        [7, 7],
        [null, null],
      ],
    },
    {
      schema: z.array(z.number()),
      values: [
        ['7', [7]],
        [7, [7]],
        [
          ['1', 2, '', 'x'],
          [1, 2, 'x'],
        ],
        ['[1, "2"]', [1, 2]],
        [' \n[1]', [1]],
        ['[1', ['[1']],
        ['1, [2]', ['1, [2]']],
        ['"[1]"', ['"[1]"']],
        ['{"a":1}', { a: 1 }],
        [{ a: 1 }, { a: 1 }],
        [null, null],
        [[], []],
        ['', undefined],
      ],
    },
    { schema: z.array(z.string()), values: [[['[1]'], ['[1]']]] },
    {
      schema: z.object({ size: z.number(), name: z.string().optional() }),
      values: [
        [{ size: '7', more: 1 }, { size: 7 }],
        ['{"size":"7","name":""}', { size: 7 }],
        ['\t{"size":"7"}', { size: 7 }],
        ['{"size":', '{"size":'],
        ['text {"size":1}', 'text {"size":1}'],
        ['[{"size":"7"}]', [{ size: '7' }]],
        [[], []],
        [null, null],
        [7, 7],
        ['', undefined],
      ],
    },
    {
      schema: z.record(z.string(), z.union([z.string(), z.number()])),
      values: [
        [
          { a: '7', b: '', c: 1 },
          { a: '7', c: 1 },
        ],
        ['{"a":"7"}', { a: '7' }],
        [[1], [1]],
        [null, null],
        ['text', 'text'],
        ['', undefined],
      ],
    },
    { schema: z.record(z.string(), z.number()), values: [[{ a: '7', b: '' }, { a: 7 }]] },
    { schema: z.array(z.object({ size: z.number() })), values: [['[{"size":"7"}]', [{ size: 7 }]]] },
  ])('of $schema.type is read as it was meant', ({ schema, values }) => {
    for (const [given, expected] of values) expect(read(schema, given), JSON.stringify(given)).toEqual(expected);
  });

  it.each<{ what: string; schema: z.ZodType }>([
    { what: 'optional', schema: z.number().optional() },
    { what: 'nullable', schema: z.number().nullable() },
    { what: 'with a default', schema: z.number().default(1) },
    { what: 'optional and nullable', schema: z.number().nullish() },
    { what: 'transformed', schema: z.number().transform((value) => -value) },
  ])('is read as a number where it is $what', ({ schema }) => {
    expect(read(schema, '7')).toBe(7);
    expect(read(schema, '')).toBeUndefined();
  });
});

it('a transformed field is read as what it begins as', () => {
  const text = z.boolean().transform(String);
  expect([read(text, 'TRUE'), read(text, ' 7 ')]).toEqual([true, ' 7 ']);
});

describe('the fields of a lenient body', () => {
  const shape = { size: z.number(), name: z.string(), constructor: z.string() };

  it('are those of the schema, without what is empty or not known', () => {
    const fields = lenientFields(shape, { name: 'A', size: '', more: 1 });
    expect(Object.keys(fields)).toEqual(['name']);
    expect(Object.keys(lenientFields(shape, {}))).toEqual([]);
  });

  it('leave out empty values of nested objects and maps', () => {
    const nested = { one: z.object({ name: z.string() }), all: z.record(z.string(), z.string()) };
    const { one, all } = lenientFields(nested, { one: { name: '' }, all: { a: '', b: 'B' } });
    expect([Object.keys(Object(one)), Object.keys(Object(all))]).toEqual([[], ['b']]);
  });
});

describe('the fields of a form', () => {
  it.each<{ form: string; fields: object }>([
    { form: '', fields: {} },
    { form: 'a=1&b=x+y', fields: { a: '1', b: 'x y' } },
    { form: 'a=1&a=2&a=3', fields: { a: ['1', '2', '3'] } },
    { form: 'a[]=1&a[]=2', fields: { a: ['1', '2'] } },
    { form: 'a[]=1&a=2', fields: { a: ['1', '2'] } },
    { form: 'a[]=1', fields: { a: '1' } },
    { form: 'a[]b=1', fields: { 'a[]b': '1' } },
  ])('of $form are $fields', ({ form, fields }) => {
    expect(formFields(form)).toEqual(fields);
  });
});
