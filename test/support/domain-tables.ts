import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { recordIndexes, trafficIndexes } from '../../shared/contract/needs.ts';

const keySchema = (partitionKey: string) => [
  { AttributeName: partitionKey, KeyType: 'HASH' as const },
  { AttributeName: 'sk', KeyType: 'RANGE' as const },
];

/** A table with `pk` and `sk`, and indexes of the same form. */
export const createTable = (TableName: string, indexes: readonly string[]): CreateTableCommand => {
  const partitionKeys = indexes.map((index) => `${index.toLowerCase()}pk`);
  return new CreateTableCommand({
    TableName,
    AttributeDefinitions: ['pk', 'sk', ...partitionKeys].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S' as const,
    })),
    KeySchema: keySchema('pk'),
    GlobalSecondaryIndexes: indexes.map((IndexName) => ({
      IndexName,
      KeySchema: keySchema(`${IndexName.toLowerCase()}pk`),
      Projection: { ProjectionType: 'KEYS_ONLY' as const },
    })),
    BillingMode: 'PAY_PER_REQUEST',
  });
};

/** Creates the two tables as they are deployed, apart from the stream; test/infra/constructs/keyed-table.template.test.ts compares them. */
export const createDomainTables = (names: { records: string; traffic: string }): CreateTableCommand[] => [
  createTable(names.records, recordIndexes),
  createTable(names.traffic, trafficIndexes),
];
