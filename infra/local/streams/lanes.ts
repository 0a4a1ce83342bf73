import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBRecord } from 'aws-lambda';

export interface LanesSettings {
  /** How many batches may be with the function at the same time. */
  readonly count: number;
  readonly batchSize: number;
  /**
   * Processes the records of one batch in their order, and tells after each part the sequence number of its last record.
   * Records of which it does not tell when it ends come again.
   */
  readonly process: (records: readonly DynamoDBRecord[], onDone: (sequenceNumber: string) => void) => Promise<void>;
  /** Called with the sequence number up to which, in the stream's order, every record is done. */
  readonly onProgress: (sequenceNumber: string) => void;
  readonly warn: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface Lanes {
  /**
   * Takes the next records of the stream, of which those that do not pass the mapping's filter need no work. Resolves
   * when there is room for more.
   */
  add(records: readonly DynamoDBRecord[], passes: (record: DynamoDBRecord) => boolean): Promise<void>;
  /** Resolves when no lane has anything under way. */
  idle(): Promise<void>;
}

interface Entry {
  /** Of a record that needs no work only its place is kept. */
  readonly record: DynamoDBRecord | undefined;
  readonly sequenceNumber: string;
  done: boolean;
}

/** So many wait that the next batches of a busy function are full. */
const maxOpenRecords = 200;
const maxPlaces = 5000;
const troubleMilliseconds = 500;

const isFull = (open: readonly Entry[]): boolean =>
  open.length >= maxPlaces ||
  (open.length >= maxOpenRecords && open.filter(({ done }) => !done).length >= maxOpenRecords);

/** The lane of a record: all changes of one item are in the same one, which is what keeps them in order. */
export function laneOf({ dynamodb }: DynamoDBRecord, count: number): number {
  if (count === 1) return 0;
  return createHash('sha256').update(JSON.stringify(dynamodb?.Keys)).digest().readUInt32BE() % count;
}

/**
 * Hands the records of a stream over in several lanes, as Lambda does where ParallelizationFactor is more than one: a
 * slow batch holds up the records of its own lane and no others.
 */
export function createLanes(settings: LanesSettings): Lanes {
  const { count, batchSize, process, onProgress, warn, signal } = settings;
  const lanes = Array.from({ length: count }, () => ({
    waiting: [] as Entry[],
    running: Promise.resolve(),
    busy: false,
  }));
  /** In the stream's order. */
  const open: Entry[] = [];
  let room = Promise.withResolvers<void>();

  const progress = () => {
    const firstOpen = open.findIndex(({ done }) => !done);
    const finished = open.splice(0, firstOpen < 0 ? open.length : firstOpen).at(-1);
    if (finished) onProgress(finished.sequenceNumber);
    room.resolve();
    room = Promise.withResolvers();
  };

  const processBatch = async (batch: readonly Entry[]) => {
    const onDone = (sequenceNumber: string) => {
      const last = batch.findIndex((entry) => entry.sequenceNumber === sequenceNumber);
      for (const entry of batch.slice(0, last + 1)) entry.done = true;
      progress();
    };
    for (let rest = batch; rest.length > 0 && !signal.aborted; rest = rest.filter(({ done }) => !done)) {
      const records = rest.flatMap(({ record }) => record ?? []);
      await process(records, onDone).catch(async (error: unknown) => {
        warn(`Records of a stream could not be handled: ${error}`);
        await sleep(troubleMilliseconds, undefined, { signal }).catch(() => {});
      });
    }
  };

  const run = async (lane: (typeof lanes)[number]) => {
    lane.busy = true;
    while (lane.waiting.length > 0 && !signal.aborted) await processBatch(lane.waiting.splice(0, batchSize));
    lane.busy = false;
  };

  signal.addEventListener('abort', () => room.resolve());
  return {
    add: async (records, passes) => {
      for (const record of records) {
        const sequenceNumber = record.dynamodb?.SequenceNumber ?? '';
        const isWork = passes(record);
        const entry = { record: isWork ? record : undefined, sequenceNumber, done: !isWork };
        open.push(entry);
        if (isWork) lanes[laneOf(record, count)]?.waiting.push(entry);
      }
      progress();
      for (const lane of lanes) if (!lane.busy && lane.waiting.length > 0) lane.running = run(lane);
      while (isFull(open) && !signal.aborted) await room.promise;
    },
    idle: async () => {
      await Promise.all(lanes.map(({ running }) => running));
    },
  };
}
