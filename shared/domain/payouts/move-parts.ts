import { RecordChanged } from '../../platform/table/record-store.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import type { Part, PartKind } from './parts.ts';

/** One way of moving sales or adjustments into, out of, or through a batch. */
export interface Move<Stored extends Part> {
  /** Those that are to be moved, of parts as they were just read. */
  select: (parts: readonly Stored[]) => Promise<readonly Stored[]>;
  edit: (part: Stored) => Stored;
  /** What else changes, for the parts of one affiliate, in the same transaction. */
  together: (affiliateId: string, parts: readonly Stored[]) => readonly Write[];
  /** Conditions of every transaction. */
  guards: readonly Write[];
}

const mostWrites = 100;
/** A transaction holds 4 MB, in which records count as they are stored; what JSON makes of them may be half of that. */
const mostBytes = 2 * 1024 * 1024;
const mostAttempts = 12;

const byAffiliate = (one: Part, other: Part): number =>
  (one.affiliateId ?? '') < (other.affiliateId ?? '') ? -1 : one.affiliateId === other.affiliateId ? 0 : 1;

/**
 * The parts by affiliate, from any of them on and round: two batches that take the same parts at the same moment meet
 * once in a while then, and not at every transaction.
 */
const fromAnywhere = <Stored extends Part>(parts: readonly Stored[]): readonly Stored[] => {
  const sorted = [...parts].sort(byAffiliate);
  const start = Math.floor(Math.random() * sorted.length);
  return [...sorted.slice(start), ...sorted.slice(0, start)];
};

/** As many of the parts, from the first on, as one transaction takes. */
const firstTransaction = <Stored extends Part>(parts: readonly Stored[], move: Move<Stored>): readonly Stored[] => {
  let writes = move.guards.length;
  let bytes = 0;
  let affiliateId: string | null = null;
  let count = 0;
  for (const part of parts) {
    writes += 1;
    if (part.affiliateId !== affiliateId) writes += move.together(part.affiliateId ?? '', [part]).length;
    bytes += Buffer.byteLength(JSON.stringify(part));
    if (count > 0 && (writes > mostWrites || bytes > mostBytes)) break;
    affiliateId = part.affiliateId;
    count += 1;
  }
  return parts.slice(0, count);
};

const writesOf = <Stored extends Part>(
  programId: string,
  kind: PartKind<Stored>,
  parts: readonly Stored[],
  move: Move<Stored>,
): Write[] => [
  ...move.guards,
  ...[...Map.groupBy(parts, (part) => part.affiliateId ?? '')].flatMap(([affiliateId, ofOne]) =>
    move.together(affiliateId, ofOne),
  ),
  ...parts.flatMap((part) => kind.store.change(programId, part, move.edit(part))),
];

/**
 * Moves parts, each in one transaction with the sums that it belongs to. Where others changed or took some of them
 * first, all are read again, for who took these is likely to take the next, and what still is to be moved gets its turn.
 */
export const moveParts = async <Stored extends Part>(
  programId: string,
  kind: PartKind<Stored>,
  parts: readonly Stored[],
  move: Move<Stored>,
): Promise<void> => {
  let waiting = fromAnywhere(await move.select(parts));
  let attempts = 0;
  while (waiting.length > 0) {
    const first = firstTransaction(waiting, move);
    try {
      await writeTogether(writesOf(programId, kind, first, move));
      waiting = waiting.slice(first.length);
      attempts = 0;
    } catch (error) {
      attempts += 1;
      if (!(error instanceof RecordChanged) || attempts === mostAttempts) throw error;
      const found = await kind.store.getMany(
        programId,
        waiting.map(({ id }) => id),
      );
      const still = fromAnywhere(await move.select([...found.values()]));
      // Another batch that takes them one transaction ahead of this one is no reason to give up.
      if (still.length < waiting.length) attempts = 0;
      waiting = still;
    }
  }
};
