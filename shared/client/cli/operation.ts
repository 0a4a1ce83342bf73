import { readFileSync } from 'node:fs';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { responseOf } from '../response-info.ts';
import type { Client } from '../surface.ts';
import type { CommandField, OperationCommand } from './commands.at-build.ts';
import { clientOf } from './settings.ts';

export const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const json = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('Give JSON.');
  }
};

const number = (text: string): number => {
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) throw new InvalidArgumentError('Give a number.');
  return value;
};

const boolean = (text: string): boolean => {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('Give true or false.');
  return text === 'true';
};

const optionOf = ({ name, kind, description: text, values }: CommandField): Option => {
  const flag = `--${kebab(name)}`;
  const description = values.length > 0 ? `${text} One of: ${values.join(', ')}.` : text;
  if (kind === 'number') return new Option(`${flag} <number>`, description).argParser(number);
  if (kind === 'boolean') return new Option(`${flag} [true|false]`, description).preset('true').argParser(boolean);
  if (kind === 'json') return new Option(`${flag} <json>`, description).argParser(json);
  return new Option(kind === 'texts' ? `${flag} <text...>` : `${flag} <text>`, description);
};

const bodyOf = (data: string | undefined): object => {
  if (data === undefined) return {};
  const value = json(data === '-' ? readFileSync(0, 'utf8') : data);
  if (!(value instanceof Object) || Array.isArray(value)) throw new InvalidArgumentError('--data takes a JSON object.');
  return value;
};

const print = (value: unknown): void => console.log(typeof value === 'string' ? value : JSON.stringify(value, null, 2));

type Method = (...given: unknown[]) => unknown;
const isMethod = (value: unknown): value is Method => typeof value === 'function';

const methodOf = (client: Client, { route }: OperationCommand): Method => {
  const resource = new Map<string, object>(Object.entries(client)).get(route.resource) ?? {};
  const method = new Map<string, unknown>(Object.entries(resource)).get(route.name);
  if (!isMethod(method)) throw new Error(`The client has no ${route.resource}.${route.name}`);
  return method;
};

interface Given {
  all?: boolean;
  csv?: boolean;
  data?: string;
  idempotencyKey?: string;
  ifMatch?: string;
}

const run = async (command: OperationCommand, id: string | undefined, given: Given & object): Promise<void> => {
  const { route, record, fields } = command;
  const chosen = Object.entries(given).filter(([name]) => fields.some((field) => field.name === name));
  const input = { ...bodyOf(given.data), ...Object.fromEntries(chosen) };
  const call = methodOf(clientOf(process.env), command);
  const { idempotencyKey, ifMatch, all, csv } = given;
  const options = { idempotencyKey, ifMatch, ...(csv && { accept: 'text/csv' }) };
  if (route.lists) return printList(call(input, options), all === true);
  const recordId = id !== undefined && record?.kind === 'number' ? number(id) : id;
  const takesInput = route.input || (record !== undefined && id === undefined);
  const result = await call(...(recordId === undefined ? [] : [recordId]), ...(takesInput ? [input] : []), options);
  const next = result instanceof Object ? responseOf(result)?.next : undefined;
  print(csv && result instanceof Object && 'text' in result ? result.text : result);
  if (next) console.error(`There is more: --cursor ${next}`);
};

interface Listed extends AsyncIterable<unknown> {
  page: () => Promise<{ data: unknown[]; next?: string }>;
}
const isList = (value: unknown): value is Listed => value instanceof Object && Symbol.asyncIterator in value;

const printList = async (list: unknown, all: boolean): Promise<void> => {
  if (!isList(list)) throw new Error('The client returned no list');
  if (!all) {
    const { data, next } = await list.page();
    print(data);
    if (next) console.error(`There is more: --cursor ${next}, or --all`);
    return;
  }
  // One record per line: the list may not fit into one string.
  for await (const record of list) console.log(JSON.stringify(record));
};

export const addOperation = (parent: Command, operation: OperationCommand): void => {
  const { route, summary, record, fields, csv } = operation;
  const command = parent.command(kebab(route.name)).description(`${summary} (${route.method} ${route.path})`);
  if (record) command.addArgument(new Argument(record.required ? '<id>' : '[id]', record.description));
  for (const field of fields) command.addOption(optionOf(field));
  if (route.lists) command.option('--all', 'every page, one record per line');
  if (csv) command.option('--csv', 'as CSV');
  if (route.method !== 'GET') {
    command.option('--data <json>', 'a JSON object with fields, or - to read it from standard input');
    command.option('--idempotency-key <text>', 'the same key never runs twice');
    command.option('--if-match <etag>', 'only if the record has not changed since');
  }
  command.action((...given: unknown[]) => {
    const [id, options] = record ? given : [undefined, given[0]];
    return run(operation, typeof id === 'string' ? id : undefined, options instanceof Object ? options : {});
  });
};
