import { queryItems } from '../../platform/table/items.ts';
import type { PartitionKey } from '../../platform/table/partition.ts';
import type { Person } from './person.ts';

export interface Erasing {
  programId: string;
  person: Person;
  /** Of the sweep: what was written at this time or later is about somebody who uses the email since. ISO 8601. */
  writtenBefore: string | undefined;
  now: Date;
}

/** Handles a bounded part; returns where to continue, or undefined at the end. May be repeated. */
export type ErasureStep = (erasing: Erasing, after: string | undefined) => Promise<string | undefined>;

type Item = Record<string, unknown>;

const itemsInOnePage = 500;

export const isWrittenBefore = ({ writtenBefore }: Erasing, { updatedAt }: Item | { updatedAt: string }): boolean =>
  writtenBefore === undefined || String(updatedAt) < writtenBefore;

/** Visits the items of a partition, a page at a time: at most 500, and 1 MB. */
export const scanStep =
  (
    table: 'records' | 'traffic',
    partitionOf: (programId: string) => PartitionKey,
    visit: (erasing: Erasing, item: Item) => Promise<void>,
  ): ErasureStep =>
  async (erasing, after) => {
    const pk = partitionOf(erasing.programId);
    const { items, lastKey } = await queryItems(table, {
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      Limit: itemsInOnePage,
      ...(after !== undefined && { ExclusiveStartKey: { pk, sk: after } }),
    });
    for (const item of items) await visit(erasing, item);
    return lastKey && String(lastKey.sk);
  };
