import * as z from 'zod';
import { fieldDescriptions } from '../../contract/field-descriptions.ts';

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const componentsPath = '#/components/schemas/';

/** `format` says it already, in a form that every generator knows. */
const formatsWithoutPattern: ReadonlySet<unknown> = new Set(['uuid', 'date-time']);

const described = (properties: Json): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const description = fieldDescriptions[name];
      return [name, isObject(schema) && description ? { description, ...schema } : schema];
    }),
  );

/** Without property escapes, which validators without the Unicode flag cannot read. */
const patternOf = ({ pattern, format }: Json): string[] => {
  if (formatsWithoutPattern.has(format)) return [];
  const plain = String(pattern).replace(/^\^\\P\{Cc\}\*\$$/, '^[^\\u0000-\\u001F\\u007F-\\u009F]*$$');
  return /\\p\{/i.test(plain) ? [] : [plain];
};

const simplified = (schema: Json): Json =>
  Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      if (key === 'pattern') return patternOf(schema).map((pattern) => [key, pattern]);
      if ((key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) return [];
      if (key === 'properties' && isObject(value)) return [[key, described(value)]];
      return [[key, value]];
    }),
  );

const isSchema = (value: unknown): value is Json =>
  isObject(value) && (typeof value.type === 'string' || Array.isArray(value.type));

/** A zod schema as JSON Schema, with a description for every field. Named schemas stay in `$defs`. */
export const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _$schema, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
  // A schema used in both directions has two names, because a response has every field.
  const nameOf = (id: string): string => (io === 'input' ? `${id}Input` : id);
  return JSON.parse(JSON.stringify(json), (key, value) => {
    if (key === '$ref') return componentsPath + nameOf(String(value).slice('#/$defs/'.length));
    if (key === '$defs')
      return Object.fromEntries(Object.entries<Json>(value).map(([id, { id: _id, ...named }]) => [nameOf(id), named]));
    return isSchema(value) ? simplified(value) : value;
  });
};

/** Moves the named schemas of everything below `value` into one map. */
export const takeNamedSchemas = (value: Json): { without: Json; schemas: Json } => {
  const schemas: Json = {};
  const without: Json = JSON.parse(JSON.stringify(value), (key, inner) => {
    if (key !== '$defs') return inner;
    Object.assign(schemas, inner);
    return undefined;
  });
  return { without, schemas };
};
