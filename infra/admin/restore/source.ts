import { createReadStream } from 'node:fs';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { revocableKinds } from '../../../shared/domain/deletions/purge-program.ts';
import { compareEnds, ExportEnd, ExportTally } from '../export-end.ts';
import { type Item, itemsOfTable, kindOf, patientClient } from '../items.ts';

/** A backup. A restore reads it several times. */
export interface Source {
  /** Throws if a part of it is missing. */
  check(): Promise<void>;
  /** The items of programs themselves, of accounts, and of all that gives access, with its tombstones. */
  owners(): AsyncIterable<Item>;
  items(): AsyncIterable<Item>;
}

const kindsOfOwners: readonly string[] = [
  'ACCOUNT',
  'PROGRAM',
  ...revocableKinds.flatMap((kind) => [kind, `TOMBSTONE#${kind}`]),
];
/** For the database, which also finds what is stored below these kinds. */
const filterOfOwners = {
  FilterExpression: ['sk = :account', ...['PROGRAM', ...revocableKinds].map((kind) => `contains(pk, :${kind})`)].join(
    ' OR ',
  ),
  ExpressionAttributeValues: {
    ':account': { S: 'ACCOUNT' },
    ...Object.fromEntries(['PROGRAM', ...revocableKinds].map((kind) => [`:${kind}`, { S: `#${kind}` }])),
  },
};
const isOfOwners = (item: Item): boolean => kindsOfOwners.includes(kindOf(item));

// The SDK's type of an attribute value has a member for values of the future, which no schema can name.
const ItemOfLine = z.record(
  z.string(),
  z.custom<AttributeValue>((value) => value instanceof Object),
);
const Line = z.union([z.strictObject({ Item: ItemOfLine }), z.strictObject({ End: ExportEnd })]);

/** Lines end with `\n` alone: `readLines()` also splits at U+2028, which JSON may contain. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const text of createReadStream(path, 'utf8')) {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}

async function* parsedLinesOf(path: string): AsyncGenerator<z.infer<typeof Line> & { line: string }> {
  let number = 0;
  for await (const line of linesOf(path)) {
    number += 1;
    try {
      if (line) yield { ...Line.parse(JSON.parse(line)), line };
    } catch (cause) {
      throw new Error(`Line ${number} of ${path} is not an item of an export`, { cause });
    }
  }
}

async function* itemsOfFile(path: string): AsyncGenerator<Item> {
  for await (const parsed of parsedLinesOf(path)) if ('Item' in parsed) yield parsed.Item;
}

const checkFile = async (path: string): Promise<void> => {
  const tally = new ExportTally();
  let end: z.infer<typeof ExportEnd> | undefined;
  for await (const parsed of parsedLinesOf(path)) {
    // A line after the end makes the counts differ.
    if ('Item' in parsed) tally.add(parsed.Item, `${parsed.line}\n`);
    else end = parsed.End;
  }
  compareEnds(path, tally.end(), end);
};

/** A file that `admin -- export` wrote. */
export const fileSource = (path: string): Source => ({
  check: () => checkFile(path),
  items: () => itemsOfFile(path),
  async *owners() {
    for await (const item of itemsOfFile(path)) if (isOfOwners(item)) yield item;
  },
});

/** Another table of the same account and region. DynamoDB copies a table whole. */
export const tableSource = (name: string): Source => ({
  check: async () => {},
  items: () => itemsOfTable(patientClient(), name),
  async *owners() {
    for await (const item of itemsOfTable(patientClient(), name, filterOfOwners)) if (isOfOwners(item)) yield item;
  },
});
