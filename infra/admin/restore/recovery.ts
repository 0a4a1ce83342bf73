import {
  DescribeTableCommand,
  DynamoDBClient,
  ListBackupsCommand,
  ResourceNotFoundException,
  RestoreTableFromBackupCommand,
  RestoreTableToPointInTimeCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';

const maxWaitSeconds = 12 * 60 * 60;

/** The copy is only scanned, and restoring indexes takes most of the time. */
const withoutIndexes = { GlobalSecondaryIndexOverride: [] };

const exists = async (client: DynamoDBClient, TableName: string): Promise<boolean> => {
  try {
    await client.send(new DescribeTableCommand({ TableName }));
    return true;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return false;
    throw error;
  }
};

/** DynamoDB keeps a backup of a deleted table that had point-in-time recovery, for 35 days. */
const backupOfDeletion = async (client: DynamoDBClient, TableName: string): Promise<string> => {
  const { BackupSummaries = [] } = await client.send(new ListBackupsCommand({ TableName, BackupType: 'SYSTEM' }));
  const newest = BackupSummaries.toSorted(
    (one, other) => (other.BackupCreationDateTime?.getTime() ?? 0) - (one.BackupCreationDateTime?.getTime() ?? 0),
  )[0]?.BackupArn;
  if (!newest) throw new Error(`There is no table ${TableName}, and no backup from its deletion`);
  return newest;
};

export interface Recovered {
  table: string;
  /** The time that the copy is as of. */
  asOf: string;
}

/**
 * Has DynamoDB copy a table as of a time, or a deleted table as of its deletion. Waits until the copy is active, which
 * takes minutes to hours. Uses the copy of an earlier run if there is one. The operator deletes the copy.
 */
export const recoverTable = async (source: string, at: Date, client = new DynamoDBClient({})): Promise<Recovered> => {
  const table = `${source}-at-${at.toISOString().replaceAll(/\D/g, '').slice(0, 14)}`;
  const [isThere, isCopied] = await Promise.all([exists(client, source), exists(client, table)]);
  const target = { TargetTableName: table, ...withoutIndexes };
  if (!isCopied && isThere)
    await client.send(
      new RestoreTableToPointInTimeCommand({ SourceTableName: source, RestoreDateTime: at, ...target }),
    );
  else if (!isCopied)
    await client.send(
      new RestoreTableFromBackupCommand({ BackupArn: await backupOfDeletion(client, source), ...target }),
    );
  await waitUntilTableExists({ client, maxWaitTime: maxWaitSeconds }, { TableName: table });
  return { table, asOf: isThere ? at.toISOString() : 'the deletion of the table' };
};
