import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

const documents = DynamoDBDocumentClient.from(new DynamoDBClient());

export const readItem = async (sk) => {
  const Key = { pk: 'ITEM', sk };
  const { Item } = await documents.send(new GetCommand({ TableName: 'records', Key, ConsistentRead: true }));
  return Item;
};
