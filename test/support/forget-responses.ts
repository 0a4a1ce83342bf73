import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { allApiKeys } from '../../shared/domain/programs/repository.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { deployedName } from '../../shared/platform/table/deployed-name.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { inTurn } from './in-turn.ts';

/**
 * Leaves every response that a program's first key has kept for an Idempotency-Key as it was before it was kept: as if the
 * requests had died just then. Throws where none was kept.
 */
export const forgetResponses = async (programId: string): Promise<void> => {
  const TableName = deployedName('traffic');
  const keyId = (await allApiKeys(programId))[0]?.id ?? '';
  const pk = partition(programId, 'IDEMPOTENCY', keyId);
  const { Items: kept = [] } = await documents.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      FilterExpression: 'attribute_exists(claim)',
      ExpressionAttributeValues: { ':pk': pk },
    }),
  );
  if (kept.length === 0) throw new Error('No response was kept');
  await inTurn(kept, ({ sk }) =>
    documents.send(
      new UpdateCommand({
        TableName,
        Key: { pk, sk },
        UpdateExpression: 'SET #state = :running, lockedUntil = :never REMOVE body, statusCode, headers',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':running': 'RUNNING', ':never': 0 },
      }),
    ),
  );
};
