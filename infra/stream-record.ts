import type { _Record as StreamRecord } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';

/** A record of a table's stream as Lambda hands it over: seconds for the time, and base64 for binary attributes. */
export const streamEventRecord = (record: StreamRecord, streamArn: string): DynamoDBRecord => {
  const change = record.dynamodb;
  const time = change?.ApproximateCreationDateTime;
  return JSON.parse(
    JSON.stringify(
      {
        eventID: record.eventID,
        eventName: record.eventName,
        eventVersion: record.eventVersion ?? '1.1',
        eventSource: 'aws:dynamodb',
        awsRegion: streamArn.split(':')[3],
        dynamodb: { ...change, ...(time && { ApproximateCreationDateTime: Math.floor(time.getTime() / 1000) }) },
        eventSourceARN: streamArn,
      },
      (_key, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value),
    ),
  );
};
