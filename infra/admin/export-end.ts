import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type Item, kindOf } from './items.ts';

/** The last line of an export, without which a restore refuses it. */
export const ExportEnd = z.strictObject({
  items: z.int(),
  /** How many items of each kind. */
  kinds: z.record(z.string(), z.int()),
  /** Of all lines before it. */
  sha256: z.string(),
});
type ExportEnd = z.infer<typeof ExportEnd>;

export type KindCounts = Map<string, number>;

export const countKind = (counts: KindCounts, kind: string): void => void counts.set(kind, (counts.get(kind) ?? 0) + 1);

/** Counts and hashes the lines of an export, while it is written or read. */
export class ExportTally {
  readonly #hash = createHash('sha256');
  readonly #kinds: KindCounts = new Map();
  #items = 0;

  /** @param line with the `\n` at its end */
  add(item: Item, line: string): void {
    this.#items += 1;
    countKind(this.#kinds, kindOf(item));
    this.#hash.update(line);
  }

  /** Can be asked once. */
  end(): ExportEnd {
    const kinds = Object.fromEntries([...this.#kinds].sort(([one], [other]) => (one < other ? -1 : 1)));
    return { items: this.#items, kinds, sha256: this.#hash.digest('hex') };
  }
}

/** Throws unless what was read is what the last line says. */
export const compareEnds = (path: string, read: ExportEnd, end: ExportEnd | undefined): void => {
  if (!end)
    throw new Error(
      `${path} is incomplete: the last line with its counts and checksum is missing. Use a whole export.`,
    );
  const differing = [...new Set([...Object.keys(read.kinds), ...Object.keys(end.kinds)])]
    .filter((kind) => read.kinds[kind] !== end.kinds[kind])
    .map((kind) => `${read.kinds[kind] ?? 0} of ${end.kinds[kind] ?? 0} ${kind}`);
  if (differing.length > 0)
    throw new Error(`${path} does not have the items that its last line counts: ${differing.join(', ')}`);
  if (read.items !== end.items || read.sha256 !== end.sha256)
    throw new Error(`${path} was changed: its checksum is not that of its last line`);
};
