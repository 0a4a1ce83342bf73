import { ApiError } from '../../contract/errors.ts';
import { keptSince } from '../endpoints/retention.ts';
import { type FeedEntry, newestNumber, readSegment, segmentsFrom } from './log.ts';

/** The entry that comes next. Whatever comes from there on was stored at `asOf` or later. */
interface FeedPosition {
  number: number;
  index: number;
  asOf: string;
}

/** The ids of events, oldest first, each with the position after it; `end` is there even if nothing was found. */
export interface FeedRead {
  entries: readonly { id: string; position: string }[];
  end: string;
  hasMore: boolean;
}

const textOf = ({ number, index, asOf }: FeedPosition): string => `${number}/${index}/${asOf}`;

const positionOf = (text: string): FeedPosition => {
  const [number, index, asOf = ''] = text.split('/');
  return { number: Number(number), index: Number(index), asOf };
};

const segmentsOfRead = 25;
const maxExamined = 1000;

/** By binary search: segments expire in no exact order, and long after the 30 days. */
const oldestKept = async (programId: string, since: string): Promise<number> => {
  let low = 1;
  let high = (await newestNumber(programId)) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const segment = await readSegment(programId, middle);
    if (segment && segment.storedAt >= since) high = middle;
    else low = middle + 1;
  }
  return low;
};

const beginningOf = async (programId: string, after: string, now: Date): Promise<FeedPosition> => {
  const since = keptSince(now);
  if (after === 'start') return { number: await oldestKept(programId, since), index: 0, asOf: now.toISOString() };
  if (after === 'now') return { number: (await newestNumber(programId)) + 1, index: 0, asOf: now.toISOString() };
  const position = positionOf(after);
  if (position.asOf >= since) return position;
  const message = 'after is older than the 30 days that events are kept. Begin again with after=start.';
  throw new ApiError('feed_expired', message, { details: [{ path: 'after', message, code: 'feed_expired' }] });
};

interface FoundEntry extends FeedEntry {
  next: FeedPosition;
  isNewest: boolean;
}

async function* entriesFrom(programId: string, from: FeedPosition): AsyncGenerator<FoundEntry> {
  let { number, index } = from;
  for (;;) {
    const { segments, hasMore } = await segmentsFrom(programId, number, segmentsOfRead);
    for (const { entries, storedAt } of segments) {
      number += 1;
      const isNewestSegment = !hasMore && number === (segments.at(-1)?.number ?? 0) + 1;
      for (const [at, entry] of entries.entries()) {
        if (at < index) continue;
        const isLast = at === entries.length - 1;
        const next = isLast
          ? { number, index: 0, asOf: storedAt }
          : { number: number - 1, index: at + 1, asOf: storedAt };
        yield { ...entry, next, isNewest: isLast && isNewestSegment };
      }
      index = 0;
    }
    if (!hasMore) return;
  }
}

/** `after` is `start`, `now` or a position that an earlier read gave. 410 if what follows it may have expired. */
export const readFeed = async (
  programId: string,
  { after, limit, type }: { after: string; limit: number; type: string | undefined },
  now: Date,
): Promise<FeedRead> => {
  const entries: { id: string; position: string }[] = [];
  let end = await beginningOf(programId, after, now);
  let examined = 0;
  for await (const { id, type: itsType, next, isNewest } of entriesFrom(programId, end)) {
    end = next;
    examined += 1;
    if (type === undefined || itsType === type) entries.push({ id, position: textOf(next) });
    const isFull = entries.length === limit || examined === maxExamined;
    if (isFull && !isNewest) return { entries, end: textOf(next), hasMore: true };
  }
  return { entries, end: textOf({ ...end, asOf: now.toISOString() }), hasMore: false };
};
