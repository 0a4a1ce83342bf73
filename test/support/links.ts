import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { deployedName } from '../../shared/platform/table/deployed-name.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';

/**
 * Enters links on an affiliate in one change, without records of their own. One by one, each would make an event of the
 * affiliate that is larger than the last.
 */
export const enterLinks = async (programId: string, affiliateId: string, slugs: readonly string[]): Promise<void> => {
  const affiliate = await affiliates.get(programId, affiliateId);
  const now = new Date();
  const at = now.toISOString();
  const entered = slugs.map((link) => [newRecordId(now), { link, createdAt: at, updatedAt: at }] as const);
  await documents.send(
    new UpdateCommand({
      TableName: deployedName('records'),
      Key: { pk: partition(programId, 'AFFILIATE'), sk: affiliateId },
      UpdateExpression: 'SET links = :links',
      ExpressionAttributeValues: { ':links': { ...affiliate?.links, ...Object.fromEntries(entered) } },
    }),
  );
};
