import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { credentials, region } from '../../infra/local/account.ts';
import { hashOfToken, tokenKey } from '../../shared/domain/access/token.ts';
import { StoredImport } from '../../shared/domain/imports/import-record.ts';

/** The tables, the stream and the queues of the stack in a data folder, past its API. */
export const openBackDoor = async (dataFolder: string, programId: string) => {
  const { dynamodbEndpoint, sqsEndpoint, outputs } = JSON.parse(
    readFileSync(join(dataFolder, 'endpoints.json'), 'utf8'),
  );
  const tables = new DynamoDBClient({ region, credentials, endpoint: dynamodbEndpoint });
  const queues = new SQSClient({ region, credentials, endpoint: sqsEndpoint });
  const { Table: table } = await tables.send(new DescribeTableCommand({ TableName: outputs.TableName }));
  const documents = DynamoDBDocumentClient.from(tables);
  const lettersOf = (worker: string) => ({ QueueUrl: outputs[`${worker}DeadLettersUrl`] });
  return {
    dynamodbEndpoint,
    streamArn: table?.LatestStreamArn ?? '',
    addDeadLetter: (worker: string, body: string, group?: string) =>
      queues.send(new SendMessageCommand({ ...lettersOf(worker), MessageBody: body, MessageGroupId: group })),
    sendAgain: (worker: string, body: string, hops: number) =>
      queues.send(
        new SendMessageCommand({
          QueueUrl: outputs[`${worker}QueueUrl`],
          MessageBody: body,
          MessageAttributes: { hops: { DataType: 'Number', StringValue: String(hops) } },
        }),
      ),
    /** How many letters there are, also those that somebody looks at. */
    countDeadLettersOf: async (worker: string): Promise<number> => {
      const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
      const { Attributes } = await queues.send(
        new GetQueueAttributesCommand({ ...lettersOf(worker), AttributeNames: [...names] }),
      );
      return names.reduce((sum, name) => sum + Number(Attributes?.[name] ?? 0), 0);
    },
    deadLettersOf: async (worker: string) => {
      // A little longer than the redrive keeps what it has looked at away from others.
      const { Messages = [] } = await queues.send(
        new ReceiveMessageCommand({
          ...lettersOf(worker),
          MaxNumberOfMessages: 10,
          WaitTimeSeconds: 2,
          VisibilityTimeout: 1,
        }),
      );
      return Messages.map(({ Body }) => Body);
    },
    loseTokens: (apiKeys: readonly string[]) =>
      Promise.all(
        apiKeys.map((apiKey) =>
          documents.send(
            new DeleteCommand({ TableName: outputs.TrafficTableName, Key: tokenKey(hashOfToken(apiKey)) }),
          ),
        ),
      ),
    forgetEvent: (id: string) =>
      documents.send(
        new DeleteCommand({
          TableName: outputs.TrafficTableName,
          Key: { pk: `PROGRAM#${programId}#EVENT`, sk: id },
        }),
      ),
    newestImport: async (): Promise<StoredImport | undefined> => {
      const { Items } = await documents.send(
        new QueryCommand({
          TableName: outputs.TableName,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': `PROGRAM#${programId}#IMPORT` },
          ScanIndexForward: false,
          Limit: 1,
        }),
      );
      return Items?.map((item) => StoredImport.parse(item))[0];
    },
    /** Writes a copy of a record with other attributes, past all rules. */
    copyRecord: async (kind: string, id: string, changed: Record<string, unknown>) => {
      const pk = `PROGRAM#${programId}#${kind}`;
      const { Item } = await documents.send(new GetCommand({ TableName: outputs.TableName, Key: { pk, sk: id } }));
      await documents.send(new PutCommand({ TableName: outputs.TableName, Item: { ...Item, ...changed } }));
    },
  };
};
