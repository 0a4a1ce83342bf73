import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { credentials, region } from '../../infra/local/account.ts';
import type { FaultSettings } from '../../infra/local/faults/settings.ts';
import { readPolicy } from '../../infra/local/iam/policy.ts';
import { startProxy } from '../../infra/local/proxy/proxy.ts';
import { startDynamoDB } from '../../infra/local/tables/dynamodb-server.ts';

/** A table of the embedded database as a function meets it, behind a proxy that may let its calls fail. */
export const startGuardedTable = async (tableName: string) => {
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
      upstreams: { dynamodb: dynamodb.endpoint, sqs: 'http://127.0.0.1:9', secrets: 'http://127.0.0.1:9' },
      identities: [identity],
      tables: { [tableName]: { arn: 'arn:x', partitionKey: 'pk', sortKey: 'sk', indexes: { GSI1: 'gsi1pk' } } },
      recordUsage: false,
      faults,
    });
  await configure();
  const endpoint = proxy.endpoints.dynamodb;
  const operator = new DynamoDBClient({ region, endpoint, credentials });
  const keys = (partitionKey: string) => [
    { AttributeName: partitionKey, KeyType: 'HASH' as const },
    { AttributeName: 'sk', KeyType: 'RANGE' as const },
  ];
  await operator.send(
    new CreateTableCommand({
      TableName: tableName,
      AttributeDefinitions: ['pk', 'sk', 'gsi1pk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: keys('pk'),
      GlobalSecondaryIndexes: [
        { IndexName: 'GSI1', KeySchema: keys('gsi1pk'), Projection: { ProjectionType: 'KEYS_ONLY' } },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  return {
    /** May do everything with the table, and repeats nothing. */
    client: new DynamoDBClient({ region, endpoint, credentials: identity, maxAttempts: 1 }),
    operator,
    /** Lets the calls of `client` fail from now on; without settings none. */
    setFaults: configure,
    stop: async () => {
      await proxy.stop();
      await dynamodb.stop();
      rmSync(folder, { recursive: true });
    },
  };
};
