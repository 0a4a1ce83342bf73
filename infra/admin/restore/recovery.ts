import {
  DescribeTableCommand,
  DynamoDBClient,
  ListBackupsCommand,
  ResourceNotFoundException,
  RestoreTableFromBackupCommand,
  RestoreTableToPointInTimeCommand,
  TableNotFoundException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';

const maxWaitSeconds = 12 * 60 * 60;

/** Nobody lists by a copy that is only read through, and indexes take most of the time. */
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

/** DynamoDB keeps a table with point-in-time recovery for 35 days when it is deleted. */
const backupOfDeletion = async (client: DynamoDBClient, TableName: string): Promise<string> => {
  const { BackupSummaries = [] } = await client.send(new ListBackupsCommand({ TableName, BackupType: 'SYSTEM' }));
  const newest = BackupSummaries.toSorted(
    (one, other) => (other.BackupCreationDateTime?.getTime() ?? 0) - (one.BackupCreationDateTime?.getTime() ?? 0),
  )[0]?.BackupArn;
  if (!newest) throw new Error(`There is no table ${TableName}, and no backup of its deletion`);
  return newest;
};

/** What was recovered, and to where. */
export interface Recovered {
  table: string;
  /** What the copy is as of. */
  asOf: string;
}

/**
 * Has DynamoDB copy a table as of a time; one that was deleted as of its deletion. Waits until the copy is there, which
 * takes minutes to hours, and takes the copy of an earlier run. The copy stays: deleting it is left to the operator.
 */
export const recoverTable = async (source: string, at: Date, client = new DynamoDBClient({})): Promise<Recovered> => {
  const table = `${source}-at-${at.toISOString().replaceAll(/\D/g, '').slice(0, 14)}`;
  let asOf = at.toISOString();
  if (!(await exists(client, table)))
    try {
      await client.send(
        new RestoreTableToPointInTimeCommand({
          SourceTableName: source,
          TargetTableName: table,
          RestoreDateTime: at,
          ...withoutIndexes,
        }),
      );
    } catch (error) {
      if (!(error instanceof TableNotFoundException)) throw error;
      const BackupArn = await backupOfDeletion(client, source);
      await client.send(new RestoreTableFromBackupCommand({ TargetTableName: table, BackupArn, ...withoutIndexes }));
      asOf = 'its deletion';
    }
  await waitUntilTableExists({ client, maxWaitTime: maxWaitSeconds }, { TableName: table });
  return { table, asOf };
};
