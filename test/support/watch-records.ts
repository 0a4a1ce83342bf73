import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { queryAllItems } from '../../shared/platform/table/items.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { changeRecord } from './changes.ts';
import type { TestProgram } from './domain.ts';

type Image = Record<string, unknown> & { id: string };

const kinds = ['SALE', 'REFERRAL', 'ADJUSTMENT'] as const;
type Watched = (typeof kinds)[number];

const readAll = async (programId: string, kind: Watched): Promise<Map<string, Image>> => {
  const images = new Map<string, Image>();
  const query = { KeyConditionExpression: 'pk = :pk', ConsistentRead: true };
  const all = queryAllItems('records', {
    ...query,
    ExpressionAttributeValues: { ':pk': partition(programId, kind) },
  });
  for await (const item of all) images.set(String(item.sk), item as Image);
  return images;
};

const textOf = (image: Image | undefined): string => (image ? JSON.stringify(marshall(image)) : '');

/** What the totals worker hears of: each call returns the changes of the program's records since the one before. */
export const watchRecords = (program: TestProgram): (() => Promise<DynamoDBRecord[]>) => {
  const known = new Map<Watched, Map<string, Image>>();
  return async () => {
    const changes: DynamoDBRecord[] = [];
    for (const kind of kinds) {
      const [before, after] = [known.get(kind) ?? new Map<string, Image>(), await readAll(program.id, kind)];
      for (const id of new Set([...before.keys(), ...after.keys()])) {
        const [was, is] = [before.get(id), after.get(id)];
        if (textOf(was) === textOf(is)) continue;
        changes.push(changeRecord(program, kind, { ...(was && { before: was }), ...(is && { after: is }) }));
      }
      known.set(kind, after);
    }
    return changes;
  };
};
