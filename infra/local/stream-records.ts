import type { DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod';
import { credentials, region } from './account.ts';

const WireRecord = z.looseObject({ dynamodb: z.looseObject({ ApproximateCreationDateTime: z.number().optional() }) });
const Page = z.object({ Records: z.array(WireRecord).default([]), NextShardIterator: z.string().optional() });

/** The embedded database checks no signature, but some of its kind want to see who asks, and where. */
const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20260101/${region}/dynamodb/aws4_request, SignedHeaders=host, Signature=none`;

/**
 * One page of a shard as Lambda hands it over. The wire has it in that form already, but for the whole seconds of the time
 * and the name of the stream; the SDK would take each value apart so that we put it together again, which took a third of
 * the time of everything that the stack does beside running functions.
 */
export const readStreamRecords = async (
  endpoint: string,
  { iterator, limit, streamArn }: { iterator: string | undefined; limit: number; streamArn: string },
  signal: AbortSignal,
): Promise<{ records: DynamoDBRecord[]; next: string | undefined }> => {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      authorization,
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-date': '20260101T000000Z',
      'x-amz-target': 'DynamoDBStreams_20120810.GetRecords',
    },
    body: JSON.stringify({ ShardIterator: iterator, Limit: limit }),
    signal,
  });
  if (!response.ok) throw new Error(`GetRecords answered ${response.status}: ${(await response.text()).slice(0, 300)}`);
  const page = Page.parse(await response.json());
  const records = page.Records.map(({ dynamodb, ...record }) => {
    const seconds = Math.floor(dynamodb.ApproximateCreationDateTime ?? 0);
    const change = { ...dynamodb, ApproximateCreationDateTime: seconds };
    return {
      ...record,
      dynamodb: change,
      awsRegion: streamArn.split(':')[3],
      eventSourceARN: streamArn,
    } as DynamoDBRecord;
  });
  return { records, next: page.NextShardIterator };
};
