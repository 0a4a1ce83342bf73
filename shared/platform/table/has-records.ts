import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { RecordKind } from '../../contract/needs.ts';
import { deployedName, documents } from './client.ts';
import { partition } from './partition.ts';

export const hasRecords = async (programId: string, kind: RecordKind): Promise<boolean> => {
  const { Items = [] } = await documents.send(
    new QueryCommand({
      TableName: deployedName('records'),
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': partition(programId, kind) },
      ProjectionExpression: 'sk',
      ConsistentRead: true,
      Limit: 1,
    }),
  );
  return Items.length > 0;
};
