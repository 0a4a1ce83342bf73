import { type DynamoDBStreamsClient, TrimmedDataAccessException } from '@aws-sdk/client-dynamodb-streams';
import { expect, it } from 'vitest';
import { readChange, readRange } from '../../infra/admin/stream-range.ts';

// The embedded database forgets nothing and returns no empty pages, as a real stream does.

const streamArn = 'arn:aws:dynamodb:eu-central-1:000000000000:table/records/stream/1';
const range = (startSequenceNumber: string, endSequenceNumber: string) => ({
  streamArn,
  shardId: 'shard',
  startSequenceNumber,
  endSequenceNumber,
});

/** A stream that returns these pages of sequence numbers, one after the other. */
const streamOf = (pages: string[][]) => {
  const page = (at: number) => (at < pages.length ? String(at) : undefined);
  const send = async ({ input }: { input: { ShardIterator?: string } }) => {
    if (input.ShardIterator === undefined) return { ShardIterator: '0' };
    const at = Number(input.ShardIterator);
    const Records = pages[at]?.map((SequenceNumber) => ({
      eventID: `e${SequenceNumber}`,
      dynamodb: { SequenceNumber },
    }));
    return { Records, NextShardIterator: page(at + 1) };
  };
  return { send } as unknown as DynamoDBStreamsClient;
};
const numbersIn = async (pages: string[][], start: string, end: string) =>
  (await readRange(range(start, end), streamOf(pages)))?.map(({ eventID }) => eventID);

it('the changes of a range are read from its first to its last, over pages that are empty', async () => {
  const pages = [[], ['99', '100'], [], ['1000', '1001']];
  expect(await numbersIn(pages, '99', '1000')).toEqual(['e99', 'e100', 'e1000']);
  expect(await numbersIn(pages, '99', '99')).toEqual(['e99']);
});

it('a range whose beginning or end the stream has forgotten is not read in part', async () => {
  expect(await numbersIn([['100', '101']], '99', '101')).toBeUndefined();
  expect(await numbersIn([['99', '101']], '99', '100')).toBeUndefined();
  const trimmed = async () => {
    throw new TrimmedDataAccessException({ message: 'past the oldest', $metadata: {} });
  };
  expect(await readRange(range('1', '2'), { send: trimmed } as unknown as DynamoDBStreamsClient)).toBeUndefined();
});

it('a stream that does not come to the end of a range is an error, and no change is lost as if it had expired', async () => {
  await expect(numbersIn([['99'], []], '99', '100')).rejects.toThrow('without coming to 100');
  await expect(numbersIn(Array(500).fill([]), '99', '100')).rejects.toThrow('without coming to 100');
});

it('one change is found in the shard whose range holds its sequence number', async () => {
  const Shards = [
    { ShardId: 'closed', SequenceNumberRange: { StartingSequenceNumber: '1', EndingSequenceNumber: '50' } },
    { ShardId: 'open', SequenceNumberRange: { StartingSequenceNumber: '60' } },
  ];
  const asked: string[] = [];
  const send = async ({ input }: { input: { ShardId?: string; ShardIterator?: string } }) => {
    if (input.ShardIterator) return { Records: [{ eventID: 'e99', dynamodb: { SequenceNumber: '99' } }] };
    if (!input.ShardId) return { StreamDescription: { Shards } };
    asked.push(input.ShardId);
    return { ShardIterator: '0' };
  };
  const streams = { send } as unknown as DynamoDBStreamsClient;
  expect(await readChange({ streamArn, sequenceNumber: '99' }, streams)).toMatchObject({ eventID: 'e99' });
  expect(await readChange({ streamArn, sequenceNumber: '55' }, streams)).toBeUndefined();
  expect(asked).toEqual(['open']);
});
