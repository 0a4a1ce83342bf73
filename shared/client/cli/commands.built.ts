import * as z from 'zod';
import { fieldDescriptions } from '../../contract/field-descriptions.ts';
import { operations } from '../../contract/operations.ts';
import { type Route, routes } from '../routes.built.ts';

export interface CommandField {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'texts' | 'json';
  readonly description: string;
  readonly required: boolean;
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

const fieldsOf = (schema: z.ZodObject, isQuery: boolean): CommandField[] => {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, field]) => ({
    name,
    // A query is text, whatever it means.
    kind: isQuery ? 'text' : kindOf(field),
    description: String((isObject(field) && field.description) || fieldDescriptions[name] || ''),
    required: required.includes(name),
  }));
};

/** Made when the command line is bundled. */
export const operationCommands: readonly OperationCommand[] = operations.flatMap((operation, at) => {
  const route = routes[at];
  if (!route) return [];
  const { query, body, selectors = [], summary, csv = false, lists } = operation;
  const fields = fieldsOf(body ?? query, body === undefined).filter(({ name }) => !selectors.includes(name));
  const inPath: CommandField = {
    name: 'id',
    kind: 'text',
    description: 'The id, or another unique name.',
    required: true,
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
