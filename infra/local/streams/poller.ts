import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod';
import { credentials, region } from '../account.ts';
import { createFilter, filterCriteria } from '../lambda/event-filter.ts';
import type { LambdaFunction } from '../lambda/function.ts';
import { processBatch } from './batch.ts';
import { createLanes } from './lanes.ts';
import type { ReadStreamRecords } from './records.ts';
import { nextPlace } from './shards.ts';

export const streamMappingProperties = z.object({
  BatchSize: z.coerce.number().int().min(1).max(10_000).default(100),
  ParallelizationFactor: z.coerce.number().int().min(1).max(10).default(1),
  FunctionResponseTypes: z.array(z.string()).default([]),
  BisectBatchOnFunctionError: z.coerce.boolean().default(false),
  MaximumRetryAttempts: z.coerce.number().int().min(-1).max(10_000).default(-1),
  FilterCriteria: filterCriteria,
  DestinationConfig: z.object({ OnFailure: z.object({ Destination: z.string() }) }).optional(),
});

export interface StreamPollerSettings {
  /** The address of the embedded database. */
  readonly endpoint: string;
  readonly read: ReadStreamRecords;
  readonly streamArn: string;
  readonly target: LambdaFunction;
  readonly mapping: z.output<typeof streamMappingProperties>;
  /** Where the last run stopped: a sequence number, kept by whoever starts the poller. */
  readonly checkpoint: { read(): string | undefined; write(sequenceNumber: string): void };
  /** Sends a text to the queue of that ARN. */
  readonly sendToQueue: (queueArn: string, body: string) => Promise<void>;
  readonly warn: (line: string) => void;
}

export interface Poller {
  stop(): Promise<void>;
}

const idleMilliseconds = 100;
const busyMilliseconds = 200;
const troubleMilliseconds = 500;

/**
 * At the end of the stream all pollers read at the same moments, so that one call serves them all. While something is written
 * every moment, fewer reads bring fuller batches: Lambda reads a stream four times a second.
 */
const untilNextRead = (found: number): number => {
  const interval = found > 0 ? busyMilliseconds : idleMilliseconds;
  return interval - (performance.now() % interval);
};

/**
 * Reads a table's stream from the checkpoint, or else from its beginning, and hands the records to a function in order.
 * The checkpoint moves only after a success, so that a crash repeats records and never loses one.
 */
export function startStreamPoller(settings: StreamPollerSettings): Poller {
  const abort = new AbortController();
  const running = poll(settings, abort.signal);
  return {
    stop: async () => {
      abort.abort();
      await running;
    },
  };
}

interface Position {
  readonly shardId: string | undefined;
  readonly iterator: string | undefined;
}

async function poll(settings: StreamPollerSettings, signal: AbortSignal): Promise<void> {
  const passes = createFilter(settings.mapping.FilterCriteria);
  let position: Position | undefined;
  let finished: string | undefined;
  let lastRead: string | undefined;
  const lanes = createLanes({
    count: settings.mapping.ParallelizationFactor,
    batchSize: settings.mapping.BatchSize,
    process: (records, onDone) => deliverBatch(records, { shardId: position?.shardId, onDone, signal }, settings),
    onProgress: settings.checkpoint.write,
    warn: settings.warn,
    signal,
  });
  while (!signal.aborted) {
    try {
      position ??= await openPosition(settings, lastRead ?? settings.checkpoint.read(), finished);
      const { shardId, iterator } = position;
      const { mapping, streamArn } = settings;
      const { records, next } = await settings.read({ iterator, limit: mapping.BatchSize, streamArn });
      lastRead = records.at(-1)?.dynamodb?.SequenceNumber ?? lastRead;
      await lanes.add(records, passes);
      finished = next === undefined ? shardId : undefined;
      position = next === undefined ? undefined : { shardId, iterator: next };
      if (records.length < mapping.BatchSize) await sleep(untilNextRead(records.length), undefined, { signal });
    } catch (error) {
      if (signal.aborted) break;
      settings.warn(`The stream of ${settings.target.name} could not be read: ${error}`);
      position = undefined;
      await sleep(troubleMilliseconds, undefined, { signal }).catch(() => {});
    }
  }
  await lanes.idle();
}

async function openPosition(
  { endpoint, streamArn }: StreamPollerSettings,
  lastRead: string | undefined,
  finished: string | undefined,
): Promise<Position> {
  const client = new DynamoDBStreamsClient({ region, credentials, endpoint });
  const { StreamDescription: stream } = await client.send(new DescribeStreamCommand({ StreamArn: streamArn }));
  const { shardId, after } = nextPlace(stream?.Shards ?? [], lastRead, finished);
  const { ShardIterator: iterator } = await client.send(
    new GetShardIteratorCommand({
      StreamArn: streamArn,
      ShardId: shardId,
      ...(after === undefined
        ? { ShardIteratorType: 'TRIM_HORIZON' }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after }),
    }),
  );
  return { shardId, iterator };
}

async function deliverBatch(
  records: readonly DynamoDBRecord[],
  context: { shardId: string | undefined; onDone: (sequenceNumber: string) => void; signal: AbortSignal },
  settings: StreamPollerSettings,
): Promise<void> {
  const { shardId, onDone, signal } = context;
  const { mapping, target } = settings;
  await processBatch(records, {
    invoke: async (part) => {
      try {
        return await target.invoke({ Records: part });
      } catch (error) {
        settings.warn(`${target.name} failed: ${error instanceof Error ? error.message : error}`);
        throw error;
      }
    },
    maximumRetryAttempts: mapping.MaximumRetryAttempts,
    bisectOnError: mapping.BisectBatchOnFunctionError,
    reportsItemFailures: mapping.FunctionResponseTypes.includes('ReportBatchItemFailures'),
    onDone,
    onGivenUp: async (part, attempts) => {
      settings.warn(`${target.name} gave up ${part.length} stream records after ${attempts} attempts.`);
      const destination = mapping.DestinationConfig?.OnFailure.Destination;
      if (destination === undefined) return;
      await settings.sendToQueue(destination, failureNote(part, shardId, attempts, settings));
    },
    signal,
  });
}

/** What Lambda sends to a mapping's failure destination: where the records are, not the records. */
function failureNote(
  records: readonly DynamoDBRecord[],
  shardId: string | undefined,
  attempts: number,
  settings: StreamPollerSettings,
): string {
  return JSON.stringify({
    requestContext: {
      requestId: crypto.randomUUID(),
      functionArn: settings.target.arn,
      condition: 'RetryAttemptsExhausted',
      approximateInvokeCount: attempts,
    },
    version: '1.0',
    timestamp: new Date().toISOString(),
    DDBStreamBatchInfo: {
      shardId,
      startSequenceNumber: records[0]?.dynamodb?.SequenceNumber,
      endSequenceNumber: records.at(-1)?.dynamodb?.SequenceNumber,
      batchSize: records.length,
      streamArn: settings.streamArn,
    },
  });
}
