import ts from 'typescript';
import { isObject, type Json } from '../../shared/http/openapi/schemas.ts';

/** Writes resolved types as text, with every alias and every schema of zod replaced by what it stands for. */
export interface TypeWriter {
  /** `schema` is the JSON Schema of the same value: its descriptions become comments. */
  write: (type: ts.Type, schema?: unknown) => string;
}

export const isReference = (type: ts.Type): type is ts.TypeReference =>
  'objectFlags' in type && (Number(type.objectFlags) & ts.ObjectFlags.Reference) !== 0;

/** Types of the package itself, and of the platform, which keep their names. */
const keptNames: ReadonlySet<string> = new Set(['Promise', 'List', 'RequestOptions', 'CsvOptions', 'CsvPage']);

const commentOf = (text: unknown): string =>
  typeof text === 'string' ? `/** ${text.replaceAll('*/', '*\\/')} */\n` : '';

const propertyName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

/** The parts of a JSON Schema that describe one shape, with references followed. */
const schemaReader = (root: unknown) => {
  const definitions = isObject(root) && isObject(root.$defs) ? root.$defs : {};
  const resolved = (schema: unknown): Json[] => {
    if (!isObject(schema)) return [];
    const { $ref, anyOf, oneOf, allOf } = schema;
    const target = typeof $ref === 'string' ? definitions[$ref.split('/').at(-1) ?? ''] : undefined;
    const nested = [anyOf, oneOf, allOf].flatMap((parts) => (Array.isArray(parts) ? parts : []));
    return [schema, ...resolved(target), ...nested.flatMap(resolved)];
  };
  const find = (schema: unknown, pick: (part: Json) => unknown): unknown =>
    resolved(schema)
      .map(pick)
      .find((found) => found !== undefined);
  return {
    property: (schema: unknown, name: string) =>
      find(schema, ({ properties }) => (isObject(properties) ? properties[name] : undefined)),
    item: (schema: unknown) => find(schema, ({ items }) => items),
    description: (schema: unknown) => (isObject(schema) ? schema.description : undefined),
  };
};

/** `nameOf` gives the name of a type that is declared elsewhere, by its text. */
export const typeWriter = (checker: ts.TypeChecker, nameOf: (text: string) => string | undefined): TypeWriter => {
  const writeWith = (read: ReturnType<typeof schemaReader>) => {
    const object = (type: ts.Type, schema: unknown): string => {
      const index = checker.getIndexInfosOfType(type).map((info) => `[key: string]: ${write(info.type, undefined)};\n`);
      const properties = checker.getPropertiesOfType(type).map((property) => {
        const optional = property.flags & ts.SymbolFlags.Optional ? '?' : '';
        const inner = read.property(schema, property.name);
        const value = write(checker.getTypeOfSymbol(property), inner);
        return `${commentOf(read.description(inner))}${propertyName(property.name)}${optional}: ${value};\n`;
      });
      const text = `{\n${[...index, ...properties].join('')}}`;
      return nameOf(text) ?? text;
    };
    const union = (type: ts.UnionType, schema: unknown): string => {
      const members = type.types.map((member) => write(member, schema));
      const isBoolean = members.includes('true') && members.includes('false');
      const others = isBoolean ? members.filter((text) => text !== 'true' && text !== 'false') : members;
      const ends = ['null', 'undefined'];
      const first = others.filter((text) => !ends.includes(text)).toSorted();
      return [...(isBoolean ? ['boolean'] : []), ...first, ...ends.filter((text) => others.includes(text))].join(' | ');
    };
    const write = (type: ts.Type, schema: unknown): string => {
      const name = (type.aliasSymbol ?? type.symbol)?.name ?? '';
      const [whole] = type.aliasTypeArguments ?? [];
      if (name === 'Partial' && whole) return `Partial<${write(whole, schema)}>`;
      if (type.isUnion()) return union(type, schema);
      if (checker.isArrayType(type)) {
        const [item] = isReference(type) ? checker.getTypeArguments(type) : [];
        const text = item ? write(item, read.item(schema)) : 'unknown';
        return text.includes(' | ') ? `(${text})[]` : `${text}[]`;
      }
      if (keptNames.has(name)) {
        const given = isReference(type) ? checker.getTypeArguments(type).map((inner) => write(inner, schema)) : [];
        return given.length > 0 ? `${name}<${given.join(', ')}>` : name;
      }
      return type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)
        ? object(type, schema)
        : checker.typeToString(type);
    };
    return write;
  };
  return { write: (type, schema) => writeWith(schemaReader(schema))(type, schema) };
};
