import { ConcurrentModificationError } from '../../../platform/table/keys.ts';
import { type Write, writeTogether } from '../../../platform/table/transaction.ts';
import type { Part, PartKind } from './parts.ts';

export interface Move<Stored extends Part> {
  select: (parts: readonly Stored[]) => Promise<readonly Stored[]>;
  edit: (part: Stored) => Stored;
  together: (affiliateId: string, parts: readonly Stored[]) => readonly Write[];
  guards: readonly Write[];
}

const maxWrites = 100;
/** A transaction holds 4 MB as stored; JSON may be half of that. */
const maxBytes = 2 * 1024 * 1024;
const maxAttempts = 12;

const byAffiliate = (one: Part, other: Part): number =>
  (one.affiliateId ?? '') < (other.affiliateId ?? '') ? -1 : one.affiliateId === other.affiliateId ? 0 : 1;

/** Starts at a random affiliate, so that two batches taking the same parts rarely conflict. */
const fromAnywhere = <Stored extends Part>(parts: readonly Stored[]): readonly Stored[] => {
  const sorted = [...parts].sort(byAffiliate);
  const start = Math.floor(Math.random() * sorted.length);
  return [...sorted.slice(start), ...sorted.slice(0, start)];
};

const firstTransaction = <Stored extends Part>(parts: readonly Stored[], move: Move<Stored>): readonly Stored[] => {
  let writes = move.guards.length;
  let bytes = 0;
  let affiliateId: string | null = null;
  let count = 0;
  for (const part of parts) {
    writes += 1;
    if (part.affiliateId !== affiliateId) writes += move.together(part.affiliateId ?? '', [part]).length;
    bytes += Buffer.byteLength(JSON.stringify(part));
    if (count > 0 && (writes > maxWrites || bytes > maxBytes)) break;
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
  ...parts.flatMap((part) => kind.store.updateWrites(programId, part, move.edit(part))),
];

/** On conflict all are read again, because the other taker will go on. */
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
      if (!(error instanceof ConcurrentModificationError) || attempts === maxAttempts) throw error;
      const found = await kind.store.getMany(
        programId,
        waiting.map(({ id }) => id),
      );
      const still = fromAnywhere(await move.select([...found.values()]));
      // Another batch that keeps ahead by one transaction is no reason to give up.
      if (still.length < waiting.length) attempts = 0;
      waiting = still;
    }
  }
};
