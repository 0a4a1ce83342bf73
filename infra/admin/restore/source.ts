import { createReadStream } from 'node:fs';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { type Item, itemsOfTable, patientClient, subjectOf } from '../items.ts';

/** A backup. A restore reads it twice. */
export interface Source {
  /** The items of programs themselves and of accounts. */
  owners(): AsyncIterable<Item>;
  items(): AsyncIterable<Item>;
}

const isOwner = (item: Item): boolean => {
  const { pk, sk, partition } = subjectOf(item);
  return partition === 'PROGRAM' || (pk.startsWith('ACCOUNT#') && sk === 'ACCOUNT');
};

// The SDK's type of an attribute value has a member for values of the future, which no schema can name.
const Line = z.object({
  Item: z.record(
    z.string(),
    z.custom<AttributeValue>((value) => value instanceof Object),
  ),
});

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

async function* itemsOfFile(path: string): AsyncGenerator<Item> {
  let number = 0;
  for await (const line of linesOf(path)) {
    number += 1;
    try {
      if (line) yield Line.parse(JSON.parse(line)).Item;
    } catch (cause) {
      throw new Error(`Line ${number} of ${path} is not an item of an export`, { cause });
    }
  }
}

/** A file that `admin -- export` wrote, or an uncompressed file of DynamoDB's own export. */
export const fileSource = (path: string): Source => ({
  items: () => itemsOfFile(path),
  async *owners() {
    for await (const item of itemsOfFile(path)) if (isOwner(item)) yield item;
  },
});

/** Another table of the same account and region. */
export const tableSource = (name: string): Source => ({
  items: () => itemsOfTable(patientClient(), name),
  owners: () =>
    itemsOfTable(patientClient(), name, {
      FilterExpression: 'sk = :account OR #kind = :program',
      ExpressionAttributeNames: { '#kind': 'kind' },
      ExpressionAttributeValues: { ':account': { S: 'ACCOUNT' }, ':program': { S: 'PROGRAM' } },
    }),
});
