import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CreateTableCommand, DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { credentials, region, sdkEnvironment } from '../../infra/local/account.ts';
import type { FaultCounts } from '../../infra/local/faults/faults.ts';
import type { FaultSettings } from '../../infra/local/faults/settings.ts';
import { readPolicy } from '../../infra/local/iam/policy.ts';
import { startProxy } from '../../infra/local/proxy/proxy.ts';
import { startDynamoDB } from '../../infra/local/tables/dynamodb-server.ts';
import { createTable } from './domain-tables.ts';
import { askStack } from './operator.ts';

const tableOf = ({ input }: CreateTableCommand) => {
  const indexes = (input.GlobalSecondaryIndexes ?? []).map(({ IndexName, KeySchema }) => [
    IndexName,
    KeySchema?.[0]?.AttributeName,
  ]);
  const keys = { arn: 'arn:x', partitionKey: 'pk', sortKey: 'sk', indexes: Object.fromEntries(indexes) };
  return [input.TableName, keys] as const;
};

/** Nothing listens there: a call fails at once. */
const nowhere = 'http://127.0.0.1:9';

/** Tables of the embedded database as a function meets them, behind a proxy that may let its calls fail. */
export const startGuardedTables = async (commands: readonly CreateTableCommand[]) => {
  const folder = mkdtempSync(join(tmpdir(), 'guarded-table-'));
  const fail = (reason: string) => {
    throw new Error(reason);
  };
  const [dynamodb, proxy] = await Promise.all([
    startDynamoDB({ folder, onExit: fail }),
    startProxy({ warn: fail, onExit: fail }),
  ]);
  const identity = {
    functionName: 'sales',
    roleName: 'SalesRole',
    accessKeyId: 'ASIASALES',
    secretAccessKey: 'secret',
    statements: readPolicy({ Statement: { Effect: 'Allow', Action: 'dynamodb:*', Resource: '*' } }),
  };
  const configure = (faults?: FaultSettings) =>
    proxy.configure({
      upstreams: { dynamodb: dynamodb.endpoint, sqs: nowhere, secrets: nowhere, s3: nowhere, ses: nowhere },
      identities: [identity],
      tables: Object.fromEntries(commands.map(tableOf)),
      recordUsage: false,
      faults,
    });
  await configure();
  const endpoint = proxy.endpoints.dynamodb;
  const operator = new DynamoDBClient({ region, endpoint, credentials });
  for (const command of commands) await operator.send(command);
  const addresses = { dynamodb: endpoint, sqs: nowhere, secrets: nowhere, s3: nowhere, ses: nowhere };
  return {
    /** May do everything with the tables, and repeats nothing. */
    client: new DynamoDBClient({ region, endpoint, credentials: identity, maxAttempts: 1 }),
    operator,
    /** Of a process that meets the tables as the function does. */
    environment: sdkEnvironment(addresses, identity),
    /** Lets the calls of the function fail from now on; without settings none. */
    setFaults: configure,
    /** What the function called since faults were set. */
    faultCounts: async (): Promise<FaultCounts> =>
      JSON.parse(await askStack(sdkEnvironment(addresses, credentials), 'ReportFaults', {})),
    stop: async () => {
      // The database may be shared, see DYNAMODB_ENDPOINT.
      for (const { input } of commands) await operator.send(new DeleteTableCommand({ TableName: input.TableName }));
      await proxy.stop();
      await dynamodb.stop();
      rmSync(folder, { recursive: true });
    },
  };
};

export const startGuardedTable = (tableName: string) => startGuardedTables([createTable(tableName, ['GSI1'])]);
