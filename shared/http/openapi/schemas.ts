import * as z from 'zod';
import { descriptionOf, thingInside, thingNamed } from '../../contract/described-things.ts';
import type { Thing } from '../../contract/field-descriptions.ts';

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const componentsPath = '#/components/schemas/';

/** `format` says it already, in a form that every generator knows. */
const formatsWithoutPattern: ReadonlySet<unknown> = new Set(['uuid', 'date-time']);

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
      return [[key, value]];
    }),
  );

const isNull = (schema: unknown): boolean => isObject(schema) && schema.type === 'null';

/** `type: [x, "null"]` where there is one type, which more generators know than a union with null. */
const withNull = (schema: Json): Json => {
  const { anyOf, ...others } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || !isObject(anyOf[0]) || !isNull(anyOf[1])) return schema;
  const [value, nothing] = anyOf;
  if (Array.isArray(value.anyOf)) return { ...value, ...others, anyOf: [...value.anyOf, nothing] };
  if (typeof value.type !== 'string') return schema;
  const values = Array.isArray(value.enum) ? { enum: [...value.enum, null] } : {};
  return { ...value, ...others, type: [value.type, 'null'], ...values };
};

const isSchema = (value: unknown): value is Json =>
  isObject(value) && (typeof value.type === 'string' || Array.isArray(value.type));

/** What a schema is about, and what one of its fields is about. */
interface About {
  thing: Thing | undefined;
  field?: { name: string; thing: Thing | undefined };
}

const describedFields = (properties: Json, about: About): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const { thing, field } = about;
      const inside = name === field?.name ? field.thing : thingInside(name, thing);
      const description = descriptionOf(name, thing);
      const text = isObject(schema) && description ? { description } : {};
      return [name, isObject(schema) ? { ...text, ...described(schema, { thing: inside }) } : schema];
    }),
  );

/** Every field with the text of what its schema is about, unless it has one of its own. */
const described = (schema: Json, about: About): Json =>
  Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (Array.isArray(value)) return [key, value.map((one) => (isObject(one) ? described(one, about) : one))];
      if (!isObject(value)) return [key, value];
      if (key === 'properties') return [key, describedFields(value, about)];
      if (key !== '$defs') return [key, described(value, about)];
      const named = Object.entries(value).map(([id, one]) => [
        id,
        isObject(one) ? described(one, { thing: thingNamed(id) }) : one,
      ]);
      return [key, Object.fromEntries(named)];
    }),
  );

/** A zod schema as JSON Schema, with a description for every field. Named schemas stay in `$defs`. */
export const schemaOf = (schema: z.ZodType, io: 'input' | 'output', about: About): Json => {
  const { $schema: _$schema, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
  // A schema used in both directions has two names, because a response has every field.
  const nameOf = (id: string): string => (io === 'input' ? `${id}Input` : id);
  const plain: Json = JSON.parse(JSON.stringify(json), (key, value) => {
    if (key === '$ref') return componentsPath + nameOf(String(value).slice('#/$defs/'.length));
    if (key === '$defs')
      return Object.fromEntries(Object.entries<Json>(value).map(([id, { id: _id, ...named }]) => [nameOf(id), named]));
    if (isSchema(value)) return simplified(value);
    return isObject(value) ? withNull(value) : value;
  });
  return described(plain, about);
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
