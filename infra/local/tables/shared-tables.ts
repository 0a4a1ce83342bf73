import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  paginateListTables,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { credentials, region } from '../account.ts';
import type { DataFolder } from '../data/data-folder.ts';

const fileName = 'tables.json';
const keptPrefix = z.object({ prefix: z.string().min(1) });

/**
 * What the names of a stack's tables begin with in a database that other stacks may use too, so that they do not see each
 * other. It is kept in the data folder, also by `--reset`, which must find the tables that it deletes.
 */
export function tablePrefix(data: DataFolder): string {
  const kept = data.readJson(fileName, keptPrefix);
  if (kept) return kept.prefix;
  const prefix = `local-${randomBytes(5).toString('hex')}-`;
  data.writeJson(fileName, { prefix });
  return prefix;
}

/** Deletes every table whose name begins with the prefix, and waits until they are gone. */
export async function deleteTables(endpoint: string, prefix: string): Promise<void> {
  const client = new DynamoDBClient({ region, credentials, endpoint });
  try {
    for await (const { TableNames: names = [] } of paginateListTables({ client }, {})) {
      const own = names.filter((name) => name.startsWith(prefix));
      await Promise.all(own.map((name) => deleteTable(client, name)));
    }
  } finally {
    client.destroy();
  }
}

const waitMilliseconds = 50;

async function deleteTable(client: DynamoDBClient, name: string): Promise<void> {
  try {
    await client.send(new DeleteTableCommand({ TableName: name }));
    for (;;) {
      await client.send(new DescribeTableCommand({ TableName: name }));
      await sleep(waitMilliseconds);
    }
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
}
