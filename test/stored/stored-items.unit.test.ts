import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { fieldsOf, furtherSchemas, storedSchemas } from './schemas.ts';

/**
 * Items as earlier versions have stored them, taken from their tables, in DynamoDB's JSON: one for each set of attributes.
 * Nobody edits one: a table that is deployed somewhere holds items like it.
 */
const folder = new URL('items/', import.meta.url);
const fileOf = (kind: string): URL => new URL(`${kind.replace('#', '.')}.json`, folder);

const parsed = Object.entries({ ...storedSchemas, ...furtherSchemas }).flatMap(([kind, schema]) =>
  schema instanceof z.ZodType ? [{ kind, schema }] : [],
);
const itemsOf = (kind: string): Record<string, unknown>[] =>
  existsSync(fileOf(kind))
    ? z
        .array(z.record(z.string(), z.any()))
        .parse(JSON.parse(readFileSync(fileOf(kind), 'utf8')))
        .map((item) => unmarshall(item))
    : [];

const addAnItem = ({ kind, fields }: { kind: string; fields: readonly string[] }): string =>
  `No stored item of the kind ${kind} has ${fields.join(', ')}. Add an item with it at the end of ` +
  `test/stored/items/${kind.replace('#', '.')}.json, and leave the others as they are. They lack it, so the schema needs a default.`;

describe.each(parsed)('a stored item of the kind $kind', ({ kind, schema }) => {
  const items = itemsOf(kind);

  it.each(items.map((item, at) => ({ at, item })))('is read, whatever version has stored it: $at', ({ item }) => {
    const result = schema.safeParse(item);
    expect(result.error?.issues ?? []).toEqual([]);
  });

  it('is there with each field of its schema', () => {
    const found = new Set(items.flatMap((item) => Object.keys(item)));
    const missing = fieldsOf(schema).filter((field) => !found.has(field));
    expect(fieldsOf(schema).length).toBeGreaterThan(0);
    expect(missing, addAnItem({ kind, fields: missing })).toEqual([]);
  });
});

it('every file of items has a schema', () => {
  const files = parsed.map(({ kind }) => fileOf(kind).pathname.split('/').at(-1));
  expect(readdirSync(folder).filter((name) => !files.includes(name))).toEqual([]);
});
