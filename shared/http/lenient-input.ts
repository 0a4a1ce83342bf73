import type * as z from 'zod';

/** The input of the connector, made into what the schemas mean. Decisions, section 6. */

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const decimal = /^-?\d+(\.\d+)?$/;

/** What the text of a form holds where a list or an object is meant; the text itself where that is no JSON. */
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
      return lenientValue(def.in, value);
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

/**
 * The fields of a shape, from input as form builders send it: `""` is absent, what the shape does not have is left out,
 * `"25"` is a number and `"true"` a boolean where one is meant. Nothing is refused here: the schemas do that.
 */
export const lenientFields = (
  shape: Readonly<Record<string, z.core.$ZodType>>,
  input: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  withoutAbsent(
    Object.entries(shape).flatMap(([name, schema]) =>
      Object.hasOwn(input, name) ? [[name, lenientValue(schema, input[name])] as const] : [],
    ),
  );

/** The fields of a form. One that comes more than once, as `name` or as `name[]`, is a list. */
export const formFields = (form: string): Record<string, unknown> => {
  const fields = new Map<string, unknown>();
  for (const [sent, value] of new URLSearchParams(form)) {
    const name = sent.replace(/\[\]$/, '');
    fields.set(name, fields.has(name) ? [fields.get(name), value].flat() : value);
  }
  return Object.fromEntries(fields);
};
