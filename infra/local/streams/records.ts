import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, Agent as SecureAgent } from 'node:https';
import { text } from 'node:stream/consumers';
import type { DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod';
import { credentials, region } from '../account.ts';

const WireRecord = z.looseObject({ dynamodb: z.looseObject({ ApproximateCreationDateTime: z.number().optional() }) });
const Page = z.object({ Records: z.array(WireRecord).default([]), NextShardIterator: z.string().optional() });

/** The embedded database checks no signature, but some of its kind want to see who asks, and where. */
const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20260101/${region}/dynamodb/aws4_request, SignedHeaders=host, Signature=none`;

interface PageRequest {
  readonly iterator: string | undefined;
  readonly limit: number;
  readonly streamArn: string;
}
interface RecordPage {
  readonly records: readonly DynamoDBRecord[];
  readonly next: string | undefined;
}

/** Calls the database, not by `fetch`: that takes more of the processor, and an idle stream is read ten times a second. */
const connect = (endpoint: string) => {
  const isSecure = endpoint.startsWith('https:');
  const agent = isSecure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  return async (target: string, body: object): Promise<unknown> => {
    const options = {
      method: 'POST',
      agent,
      headers: {
        authorization,
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-date': '20260101T000000Z',
        'x-amz-target': `DynamoDBStreams_20120810.${target}`,
      },
    };
    const request = isSecure ? httpsRequest(endpoint, options) : httpRequest(endpoint, options);
    request.end(JSON.stringify(body));
    const [response]: IncomingMessage[] = await once(request, 'response');
    const content = response ? await text(response) : '';
    if (response?.statusCode !== 200) {
      throw new Error(`${target} returned ${response?.statusCode}: ${content.slice(0, 300)}`);
    }
    return JSON.parse(content);
  };
};

const fetchPage = async (
  call: ReturnType<typeof connect>,
  { iterator, limit, streamArn }: PageRequest,
): Promise<RecordPage> => {
  const page = Page.parse(await call('GetRecords', { ShardIterator: iterator, Limit: limit }));
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

/** Reads one page of a shard as Lambda hands it over. */
export type ReadStreamRecords = (request: PageRequest) => Promise<RecordPage>;

const pagesToKeep = 8;

/**
 * Reads the streams of a database. The wire has records nearly as Lambda hands them over; the SDK would take each value
 * apart so that we put it together again, which took a third of the time of all that the stack does beside running
 * functions. What the worker that reads ahead has read is kept for the one that reads the same stream behind it.
 */
export const openStreamReader = (endpoint: string): ReadStreamRecords => {
  const call = connect(endpoint);
  const pages = new Map<string, Promise<RecordPage>>();
  return (request) => {
    const key = `${request.limit} ${request.iterator}`;
    const known = pages.get(key);
    if (known) return known;
    const page = fetchPage(call, request);
    pages.set(key, page);
    const forget = () => pages.delete(key);
    // At the end of the stream, the same place has more the next time.
    page.then(({ records }) => records.length === 0 && forget(), forget);
    for (const oldest of pages.keys()) if (pages.size > pagesToKeep) pages.delete(oldest);
    return page;
  };
};
