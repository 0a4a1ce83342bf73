import { unavailableError } from '../../platform/table/retry-transient.ts';
import type { Write } from '../../platform/table/transaction.ts';
import { writeAlone } from '../../platform/table/write-alone.ts';
import { expireWrite, type FeedEntry, newestSegment, type Segment, segmentsFrom, segmentWrite } from './log.ts';

/** An event that is stored. `feedAfter`: the newest segment that was there before it was stored, 0 for none. */
export interface StoredEntry extends FeedEntry {
  feedAfter: number;
}

const segmentsOfRead = 50;
/** Without waits: whoever waits loses to those who do not. Of each round of attempts one succeeds. */
const maxAttempts = 100;

const segmentAfter = (
  before: Segment | undefined,
  number: number,
  entries: readonly FeedEntry[],
  now: Date,
): Segment => ({
  number,
  storedAt: [now.toISOString(), before?.storedAt ?? ''].sort().at(-1) ?? '',
  entries: entries.map(({ id, type }) => ({ id, type })),
});

/** Gives stored events their place once, however many runs append them. Throws `unavailable` when others keep winning. */
export const appendToFeed = async (
  programId: string,
  stored: readonly StoredEntry[],
  now: () => Date,
): Promise<void> => {
  if (stored.length === 0) return;
  const missing = new Map(stored.map((entry) => [entry.id, entry]));
  const lasting: Segment[] = [];
  let before: Segment | undefined;
  let next = Math.max(1, Math.min(...stored.map(({ feedAfter }) => feedAfter)));
  const readOn = async (): Promise<void> => {
    for (;;) {
      const { segments, hasMore } = await segmentsFrom(programId, next, segmentsOfRead);
      for (const { entries } of segments) for (const { id } of entries) missing.delete(id);
      lasting.push(...segments.filter(({ ttl }) => ttl === undefined));
      before = segments.at(-1) ?? before;
      next += segments.length;
      if (!hasMore) return;
    }
  };
  await readOn();
  for (let attempt = 1; missing.size > 0; attempt++) {
    const segment = segmentAfter(before, next, [...missing.values()], now());
    if (await writeAlone([segmentWrite(programId, segment)])) {
      before = segment;
      break;
    }
    if (attempt === maxAttempts) throw unavailableError(new Error(`Others keep appending to the feed of ${programId}`));
    await readOn();
  }
  // The run after one that died here does it in its place.
  const followed = lasting.filter(({ number }) => number !== before?.number);
  await Promise.all(followed.map((segment) => writeAlone([expireWrite(programId, segment, now())])));
};

/** For an event that is written in the same transaction, which conflicts where another run appends first. */
export const appendWrites = async (programId: string, entry: FeedEntry, now: Date): Promise<Write[]> => {
  const newest = await newestSegment(programId);
  return [
    segmentWrite(programId, segmentAfter(newest, (newest?.number ?? 0) + 1, [entry], now)),
    ...(newest ? [expireWrite(programId, newest, now)] : []),
  ];
};
