import { type Actor, actorFrom } from '../shared/contract/actor.ts';
import type { Change } from '../shared/platform/table/change.ts';
import { importedAttribute } from '../shared/platform/table/import-mark.ts';
import type { StoredRecord } from '../shared/platform/table/keys.ts';
import { type Deletion, deletionName } from '../shared/platform/table/reads.ts';
import type { NestedReads } from './nested-reads.ts';

export type Verb = 'created' | 'updated' | 'deleted';

/** What the REST records of an event need to know of their program. */
export interface EventProgram {
  id: string;
  currency: string;
  commissionRate: number;
  /** Shared by the changes of one batch. */
  reads?: NestedReads;
}

const parentKinds = { affiliateId: 'AFFILIATE', referralId: 'REFERRAL' } as const;

/** Of a sale that went with its affiliate or referral. A tombstone of its own would cost more than the deletion. */
const parentDeletion = async ({ before }: Change, reads: NestedReads | undefined): Promise<Deletion | undefined> => {
  const names = Object.entries(parentKinds).flatMap(([field, kind]) =>
    typeof before?.[field] === 'string' ? [deletionName(kind, before[field])] : [],
  );
  const deletions = [...((await reads?.deletions(names))?.values() ?? [])];
  return deletions.sort((one, other) => (one.at < other.at ? -1 : 1)).at(-1);
};

/** When and by whom a record was deleted, as tombstones say it; of what went with its parent, when and by whom that was. */
export const deletionOf = async (
  change: Change,
  reads: NestedReads | undefined,
): Promise<Partial<Deletion> & { isOfParent: boolean }> => {
  const name = deletionName(change.kind, change.recordId);
  const own = (await reads?.deletions([name]))?.get(name);
  const parent = own ? undefined : await parentDeletion(change, reads);
  return { ...(own ?? parent), isOfParent: parent !== undefined };
};

/** When a change was made, by whom, and for which request. */
interface Origin {
  timestamp: string;
  actor: Actor | null;
  by: unknown;
  req: unknown;
  /** Whether a worker deleted it because its affiliate or referral was: then the others tell of that deletion. */
  isOfParent: boolean;
}

/** A deletion is no earlier than the last edit, whose time another Lambda's clock may have given. */
export const originOf = async (
  change: Change,
  verb: Verb,
  state: StoredRecord,
  { reads }: EventProgram,
): Promise<Origin> => {
  const { by, req } = change.after ?? {};
  const written = { actor: actorFrom(by), by, req, isOfParent: false };
  // An imported record is older than what receives its events.
  const isImported = change.after?.[importedAttribute] !== undefined;
  if (verb === 'created')
    return { timestamp: isImported ? change.noticedAt.toISOString() : state.createdAt, ...written };
  if (verb === 'updated') return { timestamp: state.updatedAt, ...written };
  const deletion = await deletionOf(change, reads);
  // Without a tombstone the table knows the second in which it began.
  const noticedAt = deletion.at === undefined || deletion.isOfParent ? change.noticedAt.toISOString() : '';
  const timestamp = [noticedAt, deletion.at ?? '', state.updatedAt].sort().at(-1) ?? state.updatedAt;
  return {
    timestamp,
    actor: actorFrom(deletion.by),
    by: deletion.by,
    req: deletion.req,
    isOfParent: deletion.isOfParent,
  };
};
