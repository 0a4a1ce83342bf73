import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { credentials, region, sdkEnvironment } from '../../infra/local/account.ts';
import { temporaryFolder } from '../../infra/local/data/data-folder.ts';
import { listenOn } from '../../infra/local/listen.ts';
import { startDynamoDB } from '../../infra/local/tables/dynamodb-server.ts';
import { secretNames, secretVariable } from '../../shared/contract/needs.ts';
import { createDomainTables } from './domain-tables.ts';

/** Nothing listens there: a call fails at once. */
const nowhere = 'http://127.0.0.1:9';

/** Every secret is the same text of one version. `environment` is what a function needs to read them. */
export const startSecrets = async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify({ SecretString: 'a secret of the tests', VersionId: 'the only version' }));
  });
  const port = await listenOn(server);
  const environment = Object.fromEntries(secretNames.map((name) => [secretVariable(name), name]));
  return { endpoint: `http://127.0.0.1:${port}`, environment, stop: () => server.close() };
};

/** The embedded database with the two tables and no more, and the environment of a function that has both and the secrets. */
export const startDatabase = async (): Promise<{ environment: Record<string, string>; stop: () => Promise<void> }> => {
  const folder = await mkdtemp(join(temporaryFolder(), 'affiliate-program-database-'));
  const database = await startDynamoDB({
    folder,
    onExit: (reason) => {
      throw new Error(reason);
    },
  });
  const { endpoint } = database;
  const secrets = await startSecrets();
  const client = new DynamoDBClient({ region, credentials, endpoint });
  // The database may be shared, see DYNAMODB_ENDPOINT.
  const names = { records: `records-${randomUUID()}`, traffic: `traffic-${randomUUID()}` };
  for (const command of createDomainTables(names)) await client.send(command);
  const environment = {
    ...sdkEnvironment(
      { dynamodb: endpoint, sqs: nowhere, secrets: secrets.endpoint, s3: nowhere, ses: nowhere },
      credentials,
    ),
    RECORDS_TABLE: names.records,
    TRAFFIC_TABLE: names.traffic,
    ...secrets.environment,
  };
  const stop = async () => {
    for (const TableName of Object.values(names)) await client.send(new DeleteTableCommand({ TableName }));
    client.destroy();
    secrets.stop();
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { environment, stop };
};
