import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { requestHandler } from '../clients/request-handler.ts';
import { exactNumber } from './exact-number.ts';

/** The one connection of a Lambda to DynamoDB. Region, credentials and endpoint come from the environment. */
export const documents = DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 5, requestHandler }), {
  // The second: metadata with a key `constructor` looks like an instance of a class, and is refused without it.
  marshallOptions: { removeUndefinedValues: true, convertClassInstanceToMap: true },
  unmarshallOptions: { wrapNumbers: exactNumber },
});

// It would copy every input and output for a log that nobody keeps: up to a third of the time that a call takes here.
documents.middlewareStack.remove('loggerMiddleware');

const required = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set`);
  return value;
};

export type TableName = 'records' | 'traffic';

/** The deployed name of a table. Read at each call: a Lambda has only the variables that its needs ask for. */
export const deployedName = (table: TableName): string =>
  required(table === 'records' ? 'RECORDS_TABLE' : 'TRAFFIC_TABLE');
