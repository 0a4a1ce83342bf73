import { expect, test } from 'vitest';
import { nextPlace } from '../../infra/local/streams/shards.ts';

const shard = (ShardId: string, start: string, end?: string) => ({
  ShardId,
  SequenceNumberRange: { StartingSequenceNumber: start, ...(end && { EndingSequenceNumber: end }) },
});
const shards = [shard('a', '100', '199'), shard('b', '200', '299'), shard('c', '300')];

test('a reader without a checkpoint begins with the oldest shard', () => {
  expect(nextPlace(shards, undefined, undefined)).toEqual({ shardId: 'a', after: undefined });
});

test('a reader goes on in the shard that holds its checkpoint, behind the record', () => {
  expect(nextPlace(shards, '150', undefined)).toEqual({ shardId: 'a', after: '150' });
  expect(nextPlace(shards, '299', undefined)).toEqual({ shardId: 'b', after: '299' });
  expect(nextPlace(shards, '1000', undefined)).toEqual({ shardId: 'c', after: '1000' });
});

test('a reader that came to the end of a shard begins with the next one', () => {
  expect(nextPlace(shards, '199', 'a')).toEqual({ shardId: 'b', after: undefined });
  expect(nextPlace(shards, '250', 'b')).toEqual({ shardId: 'c', after: undefined });
});

test('a reader whose shards are gone begins with the oldest one that is left', () => {
  expect(nextPlace(shards.slice(1), '150', 'a')).toEqual({ shardId: 'b', after: undefined });
});

test('a reader whose checkpoint lies behind the end of the last shard goes on there', () => {
  expect(nextPlace([shard('a', '1', '10')], '11', undefined)).toEqual({ shardId: 'a', after: '11' });
});
