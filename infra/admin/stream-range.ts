import {
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

/** A shard answers empty pages in between, but not for ever: many more than lie between the changes of one batch. */
const mostPages = 200;

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
    for (let page = 0; iterator !== undefined && page < mostPages; page++) {
      const answer = await streams.send(new GetRecordsCommand({ ShardIterator: iterator }));
      for (const record of answer.Records ?? []) {
        const number = BigInt(record.dynamodb?.SequenceNumber ?? -1);
        if (number <= end) records.push(streamEventRecord(record, streamArn));
        if (number >= end) return isWhole(records, startSequenceNumber, endSequenceNumber) ? records : undefined;
      }
      iterator = answer.NextShardIterator;
    }
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
  throw new Error(`The stream was read without coming to ${endSequenceNumber}`);
};

const isWhole = (records: readonly DynamoDBRecord[], start: string, end: string): boolean =>
  records[0]?.dynamodb?.SequenceNumber === start && records.at(-1)?.dynamodb?.SequenceNumber === end;
