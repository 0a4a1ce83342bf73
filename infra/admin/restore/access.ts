import type { RecordKind } from '../../../shared/contract/needs.ts';
import { tokenKey } from '../../../shared/domain/access/token.ts';
import { revocableKinds } from '../../../shared/domain/deletions/purge-program.ts';
import { memberIdOf } from '../../../shared/domain/programs/members.ts';
import { apiKeys } from '../../../shared/domain/programs/repository.ts';
import { forEachConcurrent } from '../../../shared/platform/concurrency/for-each-concurrent.ts';
import { deleteItem, queryAllItems } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { writeInTurn } from '../../../shared/platform/table/transaction.ts';
import { type Item, kindOf, subjectOf } from '../items.ts';

// What gives access: keys, members and endpoints. A restore keeps revoked what is known to be, and lists the rest.

interface NamedAccess {
  programId: string;
  id: string;
  createdAt: string | undefined;
  [detail: string]: string | undefined;
}

export interface AccessLists {
  keys: NamedAccess[];
  members: NamedAccess[];
  endpoints: NamedAccess[];
}

const maxConcurrency = 10;

const emptyLists = (): AccessLists => ({ keys: [], members: [], endpoints: [] });

/** Of a URL, its origin alone: the rest may hold a secret. */
const addTo = (lists: AccessLists, item: Item): void => {
  const { programId = '', sk: id } = subjectOf(item);
  const named = { programId, id, createdAt: item.createdAt?.S };
  const kind = kindOf(item);
  if (kind === 'API_KEY') lists.keys.push({ ...named, name: item.name?.S, lastFour: item.lastFour?.S });
  if (kind === 'MEMBER') lists.members.push({ ...named, email: item.email?.S, role: item.role?.S });
  if (kind === 'WEBHOOK') lists.endpoints.push({ ...named, url: URL.parse(item.url?.S ?? '')?.origin });
};

const nameOf = (programId: string, kind: string, id: string): string => `${programId}/${kind}/${id}`;

/** When what was deleted was deleted, by its name. */
type Tombstones = Map<string, string>;

const addTombstones = async (tombstones: Tombstones, programId: string, kind: RecordKind): Promise<void> => {
  const found = queryAllItems('records', {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partition(programId, 'TOMBSTONE', kind) },
    ConsistentRead: true,
  });
  for await (const { sk, deletedAt } of found) tombstones.set(nameOf(programId, kind, String(sk)), String(deletedAt));
};

/** The record that an item is or belongs to: of a unique value it is in `id`, of a membership it follows from the email. */
const recordNameOf = (item: Item): string | undefined => {
  const { pk, sk, programId = '', partition: names } = subjectOf(item);
  if (names === undefined)
    return sk.startsWith('MEMBER_OF#')
      ? nameOf(programId, 'MEMBER', memberIdOf(pk.slice('ACCOUNT#'.length)))
      : undefined;
  const [kind = ''] = names.split('#');
  return nameOf(programId, kind, names === kind ? sk : (item.id?.S ?? ''));
};

export interface Access {
  /** Whether the item belongs to something that was revoked. */
  isRevoked: (item: Item) => boolean;
  comesBack: AccessLists;
  keptRevoked: AccessLists;
}

/**
 * Decides about each key, member and endpoint of the programs: revoked if it was deleted after it was created, as the table
 * or the backup knows. `revokeKeys` revokes all keys, and leaves a tombstone for the next run.
 * @param items what gives access, with its tombstones, from the backup
 */
export const decideAccess = async (
  items: readonly Item[],
  programIds: ReadonlySet<string>,
  revokeKeys: boolean,
  now: Date,
): Promise<Access> => {
  const ofPrograms = items.filter((item) => programIds.has(subjectOf(item).programId ?? ''));
  const tombstones: Tombstones = new Map();
  for (const item of ofPrograms) {
    const { programId = '', partition: names = '', sk } = subjectOf(item);
    const [kind, ofKind = ''] = names.split('#');
    if (kind === 'TOMBSTONE') tombstones.set(nameOf(programId, ofKind, sk), item.deletedAt?.S ?? '');
  }
  await forEachConcurrent([...programIds], maxConcurrency, async (programId) => {
    for (const kind of revocableKinds) await addTombstones(tombstones, programId, kind);
  });
  const [comesBack, keptRevoked, revoked] = [emptyLists(), emptyLists(), new Set<string>()];
  await forEachConcurrent(ofPrograms, maxConcurrency, async (item) => {
    const { programId = '', sk } = subjectOf(item);
    const kind = kindOf(item);
    if (!revocableKinds.some((one) => one === kind)) return;
    const name = nameOf(programId, kind, sk);
    const deletedAt = tombstones.get(name);
    const wasDeleted = deletedAt !== undefined && deletedAt >= (item.createdAt?.S ?? '');
    if (!wasDeleted && revokeKeys && kind === 'API_KEY')
      await writeInTurn([apiKeys.revocationWrite(programId, sk, now)]);
    else if (!wasDeleted) return addTo(comesBack, item);
    revoked.add(name);
    addTo(keptRevoked, item);
    // It may be left from the deletion of the program, or from an interrupted restore.
    if (item.tokenHash?.S) await deleteItem('traffic', tokenKey(item.tokenHash.S));
  });
  return { isRevoked: (item) => revoked.has(recordNameOf(item) ?? ''), comesBack, keptRevoked };
};
