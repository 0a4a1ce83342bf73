import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ResourceNotFoundException,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod';
import { streamEventRecord } from '../stream-record.ts';

/** Where the changes are that a stream worker gave up on, as Lambda tells its failure destination. */
export const StreamRange = z.object({
  streamArn: z.string(),
  shardId: z.string(),
  startSequenceNumber: z.string(),
  endSequenceNumber: z.string(),
});

/** A shard returns empty pages in between, but not for ever: many more than lie between the changes of one batch. */
const maxPages = 200;

const isGone = (error: unknown): boolean =>
  error instanceof TrimmedDataAccessException || error instanceof ResourceNotFoundException;

/**
 * The changes of a range, both ends included, as Lambda hands them over; undefined where the stream, which keeps them for
 * 24 hours, does not have them any more.
 */
export const readRange = async (
  { streamArn, shardId, startSequenceNumber, endSequenceNumber }: z.infer<typeof StreamRange>,
  streams: Pick<DynamoDBStreamsClient, 'send'> = new DynamoDBStreamsClient(),
): Promise<DynamoDBRecord[] | undefined> => {
  const end = BigInt(endSequenceNumber);
  const records: DynamoDBRecord[] = [];
  try {
    let { ShardIterator: iterator } = await streams.send(
      new GetShardIteratorCommand({
        StreamArn: streamArn,
        ShardId: shardId,
        ShardIteratorType: 'AT_SEQUENCE_NUMBER',
        SequenceNumber: startSequenceNumber,
      }),
    );
    for (let page = 0; iterator !== undefined && page < maxPages; page++) {
      const response = await streams.send(new GetRecordsCommand({ ShardIterator: iterator }));
      for (const record of response.Records ?? []) {
        const number = BigInt(record.dynamodb?.SequenceNumber ?? -1);
        if (number <= end) records.push(streamEventRecord(record, streamArn));
        if (number >= end) return isWhole(records, startSequenceNumber, endSequenceNumber) ? records : undefined;
      }
      iterator = response.NextShardIterator;
    }
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
  throw new Error(`The stream was read without coming to ${endSequenceNumber}`);
};

/** The shards of a stream that may hold a sequence number. */
const shardsWith = async (streamArn: string, number: bigint, streams: Pick<DynamoDBStreamsClient, 'send'>) => {
  const found: string[] = [];
  let after: string | undefined;
  do {
    const { StreamDescription: stream } = await streams.send(
      new DescribeStreamCommand({ StreamArn: streamArn, ExclusiveStartShardId: after }),
    );
    for (const { ShardId, SequenceNumberRange: range } of stream?.Shards ?? []) {
      const first = BigInt(range?.StartingSequenceNumber ?? 0);
      const last = range?.EndingSequenceNumber;
      if (ShardId && first <= number && (last === undefined || number <= BigInt(last))) found.push(ShardId);
    }
    after = stream?.LastEvaluatedShardId;
  } while (after);
  return found;
};

/** One change by its sequence number; undefined where the stream does not have it any more. */
export const readChange = async (
  { streamArn, sequenceNumber }: { streamArn: string; sequenceNumber: string },
  streams: Pick<DynamoDBStreamsClient, 'send'> = new DynamoDBStreamsClient(),
): Promise<DynamoDBRecord | undefined> => {
  for (const shardId of await shardsWith(streamArn, BigInt(sequenceNumber), streams)) {
    const range = { streamArn, shardId, startSequenceNumber: sequenceNumber, endSequenceNumber: sequenceNumber };
    const [change] = (await readRange(range, streams)) ?? [];
    if (change) return change;
  }
  return undefined;
};

const isWhole = (records: readonly DynamoDBRecord[], start: string, end: string): boolean =>
  records[0]?.dynamodb?.SequenceNumber === start && records.at(-1)?.dynamodb?.SequenceNumber === end;
