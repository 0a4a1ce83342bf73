import type { RecordKind } from '../../contract/needs.ts';
import { queryItems } from './items.ts';
import { partition } from './partition.ts';

export const hasRecords = async (programId: string, kind: RecordKind): Promise<boolean> => {
  const { items } = await queryItems('records', {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partition(programId, kind) },
    ProjectionExpression: 'sk',
    ConsistentRead: true,
    Limit: 1,
  });
  return items.length > 0;
};
