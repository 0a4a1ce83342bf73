import { requireRecord } from '../../contract/errors.ts';
import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { affiliates, affiliatesInGroup } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { inGroup } from '../affiliates/update-affiliate.ts';
import { groupExists, storedGroupId } from '../groups/membership.ts';
import { endMove, groupsOf } from '../groups/repository.ts';
import { allGroups, type GroupProgram, isStored, placeOf } from '../groups/rules.ts';
import { groupToMoveTo } from './delete-group.ts';
import type { Step } from './step.ts';

const affiliatesInOnePage = 100;
const maxConcurrency = 20;

/** A message that moves all affiliates that are in a group at a time. */
export interface MoveMessage {
  programId: string;
  kind: 'MOVE';
  id: string;
  moveTo: string;
  at: string;
}

/** What starts moving all affiliates of a group, which may go on being used. 404, or 400 for the same group twice. docs/behavior.md#moving-affiliates */
export const moveMessage = async (
  program: GroupProgram,
  { groupId, moveTo }: { groupId: string; moveTo: string },
  now: Date,
): Promise<MoveMessage> => {
  const all = allGroups(await groupsOf(program.id), program);
  const group = requireRecord(
    all.find(({ id }) => id === groupId),
    'Group',
  );
  groupToMoveTo(all, group.id, moveTo);
  return { programId: program.id, kind: 'MOVE', id: group.id, moveTo, at: now.toISOString() };
};

/** Where affiliates go: null is the default group, undefined is nowhere. */
type FindPlace = () => Promise<string | null | undefined>;

interface Mover {
  programId: string;
  from: string | null;
  concerns: (affiliate: StoredAffiliate) => boolean;
  findPlace: FindPlace;
  now: Date;
}

const moveOne = ({ programId, concerns, findPlace, now }: Mover, id: string): Promise<void> =>
  retryOnConflict(async () => {
    const [affiliate, place] = await Promise.all([affiliates.get(programId, id), findPlace()]);
    if (!affiliate || place === undefined || !concerns(affiliate)) return;
    const moved = { ...affiliate, ...inGroup(affiliate, place, now), updatedAt: now.toISOString() };
    await writeTogether([
      ...affiliates.updateWrites(programId, affiliate, moved),
      ...groupExists(programId, place, () => new ConcurrentModificationError(`Group ${place} was deleted`)),
    ]);
  });

const movePage = async (mover: Mover, after: string | undefined): Promise<string | undefined> => {
  const { programId, from, concerns } = mover;
  // Every affiliate is read again before it is written, and the sweep finds what was not.
  const request = { limit: affiliatesInOnePage, after, isConsistent: false };
  const page = await affiliates.page(programId, request, from === null ? undefined : affiliatesInGroup(from), concerns);
  await forEachConcurrent(page.items, maxConcurrency, ({ id }) => moveOne(mover, id));
  return page.next;
};

/** Of a deleted group. */
export const affiliatesOfDeletedGroup: Step = ({ programId, id }, after, now) => {
  const findPlace = async () => placeOf(id, await groupsOf(programId));
  const concerns = ({ groupId }: StoredAffiliate) => groupId === id;
  return movePage({ programId, from: id, concerns, findPlace, now }, after);
};

/** Last of all: nothing looks any more for where affiliates of the group belong. */
export const endOfMove: Step = async ({ programId, id, isSweep }) => {
  if (isSweep) await endMove(programId, id);
  return undefined;
};

/** Of a group that stays. Who came into it since then stays too, however late a message comes. */
export const affiliatesOfGroup: Step = ({ programId, id, moveTo, at = '' }, after, now) => {
  const from = storedGroupId(programId, id);
  const place = storedGroupId(programId, moveTo ?? id);
  const findPlace = async () => {
    const stored = await groupsOf(programId);
    const isGone = place !== null && !isStored(place, stored) && !stored.moves.has(place);
    return isGone ? undefined : placeOf(place, stored);
  };
  const concerns = ({ groupId, groupSince, createdAt }: StoredAffiliate) =>
    groupId === from && (groupSince ?? createdAt) <= at;
  return movePage({ programId, from, concerns, findPlace, now }, after);
};
