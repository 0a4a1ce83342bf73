import { deployedName, type TableName } from '../../../shared/platform/table/deployed-name.ts';
import { batchGetItems } from '../../../shared/platform/table/items.ts';
import { countKind, type KindCounts } from '../export-end.ts';
import { type Item, kindOf } from '../items.ts';

/** What became of the items of a kind. All numbers but the first add up to it. */
interface RestoredKind {
  inBackup: number;
  restored: number;
  /** Keys, members and endpoints that stay revoked, with what belongs to them. */
  revoked?: number;
  /** What would have expired meanwhile. */
  expired?: number;
}

export type LeftOut = 'revoked' | 'expired' | undefined;

/** Reads every restored item again, and counts by kind. */
export class RestoreCheck {
  readonly #table: TableName;
  readonly #inBackup: KindCounts = new Map();
  readonly #counts = { restored: new Map(), revoked: new Map(), expired: new Map() } satisfies Record<
    string,
    KindCounts
  >;

  constructor(table: TableName) {
    this.#table = table;
  }

  /** @param items of the backup, each with why it was left out on purpose */
  async add(items: readonly { item: Item; leftOut: LeftOut }[]): Promise<void> {
    const keyOf = (pk: unknown, sk: unknown): string => `${pk} ${sk}`;
    const wanted = items.filter(({ leftOut }) => leftOut === undefined);
    const keys = wanted.map(({ item }) => ({ pk: item.pk?.S, sk: item.sk?.S }));
    const found = await batchGetItems(deployedName(this.#table), keys, { attributes: 'pk, sk' });
    const there = new Set(found.map(({ pk, sk }) => keyOf(pk, sk)));
    for (const { item, leftOut } of items) {
      countKind(this.#inBackup, kindOf(item));
      if (leftOut) countKind(this.#counts[leftOut], kindOf(item));
      else if (there.has(keyOf(item.pk?.S, item.sk?.S))) countKind(this.#counts.restored, kindOf(item));
    }
  }

  /** Throws if an item of the backup is neither in the table nor left out on purpose. */
  result(): Record<string, RestoredKind> {
    const { restored, revoked, expired } = this.#counts;
    const kinds = [...this.#inBackup].map(([kind, inBackup]) => ({
      kind,
      inBackup,
      restored: restored.get(kind) ?? 0,
      ...(revoked.has(kind) && { revoked: revoked.get(kind) }),
      ...(expired.has(kind) && { expired: expired.get(kind) }),
    }));
    const missing = kinds.filter((one) => one.restored + (one.revoked ?? 0) + (one.expired ?? 0) < one.inBackup);
    if (missing.length > 0)
      throw new Error(
        `The restore is not complete: ${missing.map(({ kind, inBackup, restored }) => `${restored} of ${inBackup} ${kind}`).join(', ')}. Run the command again.`,
      );
    return Object.fromEntries(kinds.map(({ kind, ...counts }) => [kind, counts]));
  }
}
