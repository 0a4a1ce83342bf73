import {
  DescribeTableCommand,
  DynamoDBClient,
  ListBackupsCommand,
  ResourceNotFoundException,
  RestoreTableFromBackupCommand,
  RestoreTableToPointInTimeCommand,
} from '@aws-sdk/client-dynamodb';
import { expect, it, vi } from 'vitest';
import { recoverTable } from '../../infra/admin/restore/recovery.ts';

const at = new Date('2026-05-01T10:00:00.000Z');
const copy = 'Records-at-20260501100000';
const unknown = { $metadata: {}, message: 'There is no such table' };
const backup = (BackupArn: string, day: number) => ({ BackupArn, BackupCreationDateTime: new Date(2026, 4, day) });

/** DynamoDB as far as a recovery asks it. @returns the client, and the commands that change something */
const database = ({ tables, backups = [] }: { tables: string[]; backups?: ReturnType<typeof backup>[] }) => {
  const client = new DynamoDBClient({ region: 'eu-central-1' });
  const changes: object[] = [];
  vi.spyOn(client, 'send').mockImplementation(async (command: unknown) => {
    if (command instanceof ListBackupsCommand) return { BackupSummaries: backups };
    if (command instanceof DescribeTableCommand) {
      if (!tables.includes(command.input.TableName ?? '')) throw new ResourceNotFoundException(unknown);
      return { Table: { TableStatus: 'ACTIVE' } };
    }
    if (!(command instanceof RestoreTableToPointInTimeCommand || command instanceof RestoreTableFromBackupCommand))
      throw new Error('an unexpected command');
    changes.push(command.input);
    tables.push(command.input.TargetTableName ?? '');
    return {};
  });
  return { client, changes };
};

it('a table is copied as of the time, without its indexes', async () => {
  const { client, changes } = database({ tables: ['Records'] });
  expect(await recoverTable('Records', at, client)).toEqual({ table: copy, asOf: at.toISOString() });
  expect(changes).toEqual([
    { SourceTableName: 'Records', TargetTableName: copy, RestoreDateTime: at, GlobalSecondaryIndexOverride: [] },
  ]);
});

it('a deleted table is copied from the newest system backup', async () => {
  const { client, changes } = database({
    tables: [],
    backups: [backup('older', 1), backup('newer', 3), backup('old', 2)],
  });
  expect(await recoverTable('Records', at, client)).toEqual({ table: copy, asOf: 'the deletion of the table' });
  expect(changes).toEqual([{ TargetTableName: copy, BackupArn: 'newer', GlobalSecondaryIndexOverride: [] }]);
});

it.each([
  ['of a table', ['Records', copy], at.toISOString()],
  ['of a deleted table', [copy], 'the deletion of the table'],
])('the copy %s that an earlier run made is used', async (_, tables, asOf) => {
  const { client, changes } = database({ tables });
  expect(await recoverTable('Records', at, client)).toEqual({ table: copy, asOf });
  expect(changes).toEqual([]);
});

it('a table that does not exist and has no backup is a clear error', async () => {
  await expect(recoverTable('Records', at, database({ tables: [] }).client)).rejects.toThrow(
    'There is no table Records, and no backup from its deletion',
  );
});
