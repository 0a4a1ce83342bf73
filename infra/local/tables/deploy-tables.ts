import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { DamagedData } from '../data/damaged-data.ts';
import type { DataFolder } from '../data/data-folder.ts';
import type { TableKeys, Tables } from '../iam/dynamodb-access.ts';
import { nameOf, propertiesOf, resourcesOf, type Scope } from '../template/template.ts';

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));
export const tableProperties = z.object({
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) })),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: z
    .array(
      z.object({
        IndexName: z.string(),
        KeySchema: keySchema,
        Projection: z.object({
          ProjectionType: z.enum(['ALL', 'KEYS_ONLY', 'INCLUDE']),
          NonKeyAttributes: z.array(z.string()).optional(),
        }),
      }),
    )
    .default([]),
  StreamSpecification: z
    .object({ StreamViewType: z.enum(['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES']) })
    .optional(),
});

type TableProperties = z.output<typeof tableProperties>;

/** The tables of earlier starts. */
export const deployedFile = z.object({ tables: z.array(z.string()) });

/** Throws DamagedData if a wanted table of an earlier start is missing: an empty one must not replace it. */
async function expectEarlierTables(
  data: DataFolder,
  client: DynamoDBClient,
  wanted: ReadonlySet<string>,
): Promise<void> {
  for (const name of data.readJson('deployed.json', deployedFile)?.tables ?? []) {
    if (!wanted.has(name) || (await describe(client, name))) continue;
    throw new DamagedData(data.path, 'dynamodb', `lacks the table ${name}`, 'the records of that table');
  }
}

/**
 * Creates missing tables of the template, and adds all to `scope`. Throws DamagedData if a table of an earlier start is
 * missing.
 *
 * @param prefix of the tables' names
 * @returns their keys by name
 */
export async function deployTables(
  scope: Scope,
  client: DynamoDBClient,
  prefix: string,
  data: DataFolder,
): Promise<Tables> {
  const wanted = resourcesOf(scope, 'AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable').map((found) => ({
    ...found,
    name: `${prefix}${nameOf(found.logicalId, found.resource.Properties?.TableName, scope)}`,
  }));
  await expectEarlierTables(data, client, new Set(wanted.map(({ name }) => name)));
  const tables: { [name: string]: TableKeys } = {};
  for (const { name, logicalId, resource } of wanted) {
    const properties = propertiesOf(tableProperties, resource, scope);
    const table = await ensureTable(client, name, properties);
    scope.resources.set(logicalId, {
      reference: name,
      attributes: { Arn: table.TableArn ?? '', StreamArn: table.LatestStreamArn ?? '' },
    });
    tables[name] = keysOf(properties, table.TableArn ?? '');
  }
  data.writeJson('deployed.json', { tables: Object.keys(tables) });
  return tables;
}

const partitionKeyOf = (schema: z.output<typeof keySchema>): string =>
  schema.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName ?? '';

/** The keys of a table and of its indexes, from the template's resolved properties. */
export const keysOf = (
  { KeySchema, GlobalSecondaryIndexes: indexes }: z.output<typeof tableProperties>,
  arn: string,
): TableKeys => ({
  arn,
  partitionKey: partitionKeyOf(KeySchema),
  sortKey: KeySchema.find(({ KeyType }) => KeyType === 'RANGE')?.AttributeName,
  indexes: Object.fromEntries(indexes.map((index) => [index.IndexName, partitionKeyOf(index.KeySchema)])),
});

/**
 * Creates a table from the template's resolved properties, or adds missing indexes to an existing one. Without TTL: the
 * embedded database ignores it. @returns its description
 */
async function ensureTable(client: DynamoDBClient, name: string, wanted: TableProperties): Promise<TableDescription> {
  const existing = await describe(client, name);
  if (existing === undefined) {
    const { TableDescription: created } = await client.send(
      new CreateTableCommand({
        TableName: name,
        AttributeDefinitions: wanted.AttributeDefinitions,
        KeySchema: wanted.KeySchema,
        ...(wanted.GlobalSecondaryIndexes.length > 0 && { GlobalSecondaryIndexes: wanted.GlobalSecondaryIndexes }),
        ...(wanted.StreamSpecification && {
          StreamSpecification: { StreamEnabled: true, StreamViewType: wanted.StreamSpecification.StreamViewType },
        }),
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    if (created === undefined) throw new Error(`The table ${name} could not be created.`);
    return created;
  }
  const present = new Set(existing.GlobalSecondaryIndexes?.map((index) => index.IndexName));
  for (const index of wanted.GlobalSecondaryIndexes.filter(({ IndexName }) => !present.has(IndexName))) {
    await client.send(
      new UpdateTableCommand({
        TableName: name,
        AttributeDefinitions: wanted.AttributeDefinitions,
        GlobalSecondaryIndexUpdates: [{ Create: index }],
      }),
    );
  }
  return existing;
}

async function describe(client: DynamoDBClient, name: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
