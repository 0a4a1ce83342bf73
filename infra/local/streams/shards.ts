import type { Shard } from '@aws-sdk/client-dynamodb-streams';

/** Where to go on in a stream: at the beginning of a shard, or behind a record of it. */
export interface StreamPlace {
  readonly shardId: string | undefined;
  readonly after: string | undefined;
}

/**
 * Finds where a reader goes on. The embedded database keeps one shard for the life of a table; DynamoDB Local closes one
 * after a few hours and goes on in the next.
 *
 * @param shards in the order of their records
 * @param checkpoint the sequence number of the last record that was read
 * @param finished the shard that was just read to its end
 */
export function nextPlace(
  shards: readonly Shard[],
  checkpoint: string | undefined,
  finished: string | undefined,
): StreamPlace {
  const behind = shards.findIndex(({ ShardId }) => ShardId === finished);
  const next = behind < 0 ? undefined : shards[behind + 1];
  if (next) return { shardId: next.ShardId, after: undefined };
  if (checkpoint === undefined) return { shardId: shards[0]?.ShardId, after: undefined };
  const number = BigInt(checkpoint);
  const isWithin = ({ SequenceNumberRange: range }: Shard) => {
    const end = range?.EndingSequenceNumber;
    return end === undefined || number <= BigInt(end);
  };
  // The embedded database gives its one open shard an end, which may lie before what was read of it.
  const holding = shards.find(isWithin) ?? shards.at(-1);
  const start = BigInt(holding?.SequenceNumberRange?.StartingSequenceNumber ?? 0);
  return { shardId: holding?.ShardId, after: number < start ? undefined : checkpoint };
}
