import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { isObject, schemaOf, takeNamedSchemas } from '../../../shared/http/openapi/schemas.ts';

const propertyOf = (field: z.ZodType, name = 'field', io: 'input' | 'output' = 'output'): unknown => {
  const { properties } = schemaOf(z.object({ [name]: field }), io, { thing: 'Affiliate' });
  return new Map(Object.entries(Object(properties))).get(name);
};

describe('a documented field', () => {
  it.each<{ what: string; field: z.ZodType; schema: object }>([
    { what: 'a UUID has its format and no pattern', field: z.uuid(), schema: { type: 'string', format: 'uuid' } },
    {
      what: 'a time has its format and no pattern',
      field: z.iso.datetime(),
      schema: { type: 'string', format: 'date-time' },
    },
    {
      what: 'another format keeps its pattern',
      field: z.email(),
      schema: { type: 'string', format: 'email', pattern: expect.any(String) },
    },
    { what: 'a pattern is kept', field: z.string().regex(/^a$/), schema: { type: 'string', pattern: '^a$' } },
    {
      what: 'a pattern against control characters names them, for validators without property escapes',
      field: z.string().regex(/^\P{Cc}*$/u),
      schema: { type: 'string', pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$' },
    },
    {
      what: 'a pattern with more than that before it is left out',
      field: z.string().regex(/^a$|^\P{Cc}*$/u),
      schema: { type: 'string' },
    },
    {
      what: 'a pattern with more than that after it is left out',
      field: z.string().regex(/^\P{Cc}*$|^a$/u),
      schema: { type: 'string' },
    },
    { what: 'another property escape is left out', field: z.string().regex(/^\p{L}+$/u), schema: { type: 'string' } },
    { what: 'a whole number has no limits of its own', field: z.int(), schema: { type: 'integer' } },
    { what: 'a limit is kept', field: z.int().min(3).max(9), schema: { type: 'integer', minimum: 3, maximum: 9 } },
    {
      what: 'a default that is as large as a number can be is kept',
      field: z.number().default(Number.MAX_SAFE_INTEGER),
      schema: { type: 'number', default: Number.MAX_SAFE_INTEGER },
    },
    {
      what: 'null is a type beside its own',
      field: z.uuid().nullable(),
      schema: { type: ['string', 'null'], format: 'uuid' },
    },
    {
      what: 'null is a value beside others',
      field: z.enum(['A', 'B']).nullable(),
      schema: { type: ['string', 'null'], enum: ['A', 'B', null] },
    },
    {
      what: 'null is one of several types, with their description',
      field: z.union([z.uuid(), z.int()]).nullable().describe('Any.'),
      schema: {
        description: 'Any.',
        anyOf: [{ type: 'string', format: 'uuid' }, { type: 'integer' }, { type: 'null' }],
      },
    },
    { what: 'what JSON cannot represent is anything', field: z.date(), schema: {} },
  ])('$what', ({ field, schema }) => {
    expect(propertyOf(field)).toEqual(schema);
  });

  it('is described by its name, also in nested objects, where it has no description of its own', () => {
    const description = expect.stringContaining('email of the affiliate');
    expect(propertyOf(z.string(), 'email')).toEqual({ type: 'string', description });
    expect(propertyOf(z.string().describe('Its own.'), 'email')).toEqual({ type: 'string', description: 'Its own.' });
    expect(propertyOf(z.object({ email: z.string() }))).toMatchObject({ properties: { email: { description } } });
    expect(propertyOf(z.string(), 'unheardOf')).toEqual({ type: 'string' });
  });

  it('may have the name of a keyword of schemas', () => {
    const fields = {
      pattern: z.uuid(),
      minimum: z.int(),
      properties: z.object({ email: z.string() }),
      type: z.string(),
    };
    expect(schemaOf(z.object(fields), 'output', { thing: 'Affiliate' })).toMatchObject({
      properties: {
        pattern: { type: 'string', format: 'uuid' },
        minimum: { type: 'integer' },
        properties: { type: 'object', properties: { email: { type: 'string', description: expect.any(String) } } },
        type: { type: 'string' },
      },
      required: ['pattern', 'minimum', 'properties', 'type'],
    });
  });
});

describe('a named schema', () => {
  const record = z.object({ id: z.uuid(), email: z.string() }).meta({ id: 'AffiliatePerson' });
  const holder = z.object({ one: record, more: z.array(record), other: z.object({ sort: z.string() }) });
  const described = { type: 'string', description: expect.any(String) };
  const person = {
    type: 'object',
    properties: { id: { format: 'uuid' }, email: described },
    required: ['id', 'email'],
  };

  it.each([
    { io: 'output' as const, name: 'AffiliatePerson', allowsMore: false },
    { io: 'input' as const, name: 'AffiliatePersonInput', allowsMore: undefined },
  ])('is pointed to as $name in $io, and described once', ({ io, name, allowsMore }) => {
    const { properties, $defs, ...rest } = schemaOf(holder, io, { thing: 'Affiliate' });
    const $ref = `#/components/schemas/${name}`;
    expect(properties).toMatchObject({ one: { $ref }, more: { type: 'array', items: { $ref } } });
    expect($defs).toMatchObject({ [name]: person });
    expect(Object.keys(Object($defs))).toEqual([name]);
    expect(new Map(Object.entries(Object($defs))).get(name)).not.toHaveProperty('id');
    expect(rest).not.toHaveProperty('$schema');
    expect(rest.additionalProperties).toBe(allowsMore);
  });

  it('moves from wherever it is into one map', () => {
    const about = { thing: 'Affiliate' } as const;
    const first = z.object({ name: z.string() }).meta({ id: 'First' });
    const second = z.object({ name: z.string() }).meta({ id: 'Second' });
    const value = {
      paths: [schemaOf(first, 'output', about), { deep: schemaOf(second, 'output', about) }],
      kept: [1, 'a', null],
    };
    const { without, schemas } = takeNamedSchemas(value);
    expect(Object.keys(schemas)).toEqual(['First', 'Second']);
    expect(schemas).toMatchObject({ First: { type: 'object' }, Second: { type: 'object' } });
    expect(without).toEqual({
      paths: [{ $ref: '#/components/schemas/First' }, { deep: { $ref: '#/components/schemas/Second' } }],
      kept: [1, 'a', null],
    });
  });
});

it.each([
  { value: {}, is: true },
  { value: { a: 1 }, is: true },
  { value: null, is: false },
  { value: [], is: false },
  { value: 'text', is: false },
  { value: undefined, is: false },
])('$value is an object: $is', ({ value, is }) => {
  expect(isObject(value)).toBe(is);
});
