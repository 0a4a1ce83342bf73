import type * as z from 'zod';

/** See docs/behavior.md#lenient-input */

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const decimal = /^-?\d+(\.\d+)?$/;

const readNested = (value: unknown): unknown => {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

const withoutAbsent = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> =>
  Object.fromEntries(entries.filter(([, value]) => value !== undefined));

const lenientValue = (schema: z.core.$ZodType, value: unknown): unknown => {
  if (value === '') return undefined;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return lenientValue(def.innerType, value);
    case 'pipe':
      // What is made of a text goes into the other end.
      return lenientValue(def.in._zod.def.type === 'transform' ? def.out : def.in, value);
    case 'number':
      return typeof value === 'string' && decimal.test(value.trim()) ? Number(value) : value;
    case 'boolean':
      return typeof value === 'string' && /^(true|false)$/i.test(value.trim()) ? /true/i.test(value) : value;
    case 'array': {
      const list = readNested(value);
      if (list === null || isObject(list)) return list;
      return [list]
        .flat()
        .map((item) => lenientValue(def.element, item))
        .filter((item) => item !== undefined);
    }
    case 'object': {
      const object = readNested(value);
      return isObject(object) ? lenientFields(def.shape, object) : object;
    }
    case 'record': {
      const object = readNested(value);
      if (!isObject(object)) return object;
      return withoutAbsent(Object.entries(object).map(([name, inner]) => [name, lenientValue(def.valueType, inner)]));
    }
    default:
      return value;
  }
};

export const lenientFields = (
  shape: Readonly<Record<string, z.core.$ZodType>>,
  input: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  withoutAbsent(
    Object.entries(shape).flatMap(([name, schema]) =>
      Object.hasOwn(input, name) ? [[name, lenientValue(schema, input[name])] as const] : [],
    ),
  );

/** A repeated field (`name` or `name[]`) is a list. */
export const formFields = (form: string): Record<string, unknown> => {
  const fields = new Map<string, unknown>();
  for (const [sent, value] of new URLSearchParams(form)) {
    const name = sent.replace(/\[\]$/, '');
    fields.set(name, fields.has(name) ? [fields.get(name), value].flat() : value);
  }
  return Object.fromEntries(fields);
};
