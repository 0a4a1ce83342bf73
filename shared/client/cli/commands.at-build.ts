import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { descriptionOf, thingOf, thingOfQuery } from '../../contract/described-things.ts';
import type { Thing } from '../../contract/field-descriptions.ts';
import { operations } from '../../contract/operations.ts';
import { type Route, routes } from '../routes.at-build.ts';

export interface CommandField {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'texts' | 'json';
  readonly description: string;
  readonly required: boolean;
  /** Those that it can have, if they are few. */
  readonly values: readonly string[];
}

export interface OperationCommand {
  readonly route: Route;
  readonly summary: string;
  readonly record: CommandField | undefined;
  readonly fields: readonly CommandField[];
  readonly csv: boolean;
}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => value instanceof Object && !Array.isArray(value);

const isNull = (schema: unknown): boolean => isObject(schema) && schema.type === 'null';

const valueSchema = (schema: unknown): Json => {
  if (!isObject(schema)) return {};
  const { anyOf } = schema;
  return Array.isArray(anyOf) ? valueSchema(anyOf.find((part) => !isNull(part))) : schema;
};

const kindOf = (schema: unknown): CommandField['kind'] => {
  const { type, items } = valueSchema(schema);
  switch ([type].flat()[0]) {
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'string':
      return 'text';
    case 'array':
      return valueSchema(items).type === 'string' ? 'texts' : 'json';
    default:
      return 'json';
  }
};

const valuesOf = (schema: unknown): string[] => {
  const { enum: values, items } = valueSchema(schema);
  if (Array.isArray(values)) return values.map(String);
  return items === undefined ? [] : valuesOf(items);
};

const fieldsOf = (schema: z.ZodObject, isQuery: boolean, thing: Thing | undefined): CommandField[] => {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, field]) => ({
    name,
    // A query is text, whatever it means.
    kind: isQuery ? 'text' : kindOf(field),
    description: String((isObject(field) && field.description) || descriptionOf(name, thing) || ''),
    required: required.includes(name),
    values: valuesOf(field),
  }));
};

/** Of the package, and of the API that it was made for. */
export const version: string = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
).version;

/** Made when the command line is bundled. */
export const operationCommands: readonly OperationCommand[] = operations.flatMap((operation, at) => {
  const route = routes[at];
  if (!route) return [];
  const { query, body, selectors = [], summary, csv = false, lists } = operation;
  const thing = body ? thingOf(operation) : thingOfQuery(operation);
  const fields = fieldsOf(body ?? query, body === undefined, thing).filter(({ name }) => !selectors.includes(name));
  const inPath: CommandField = {
    name: 'id',
    kind: 'text',
    description: 'The id, or another unique name.',
    required: true,
    values: [],
  };
  const record = route.path.includes('{') ? inPath : fields.find(({ name }) => name === route.record);
  return {
    route,
    summary,
    record,
    fields: fields.filter((field) => field !== record),
    csv: csv && !lists,
  };
});
