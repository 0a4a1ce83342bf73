import { describe, expect, it } from 'vitest';
import {
  createAffiliate as createOperation,
  updateAffiliate as updateOperation,
} from '../../../shared/contract/affiliates.ts';
import { createAffiliate } from '../../../shared/domain/affiliates/create-affiliate.ts';
import { listAffiliates } from '../../../shared/domain/affiliates/list-affiliates.ts';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { affiliateResponses } from '../../../shared/domain/affiliates/responses.ts';
import { withTotals } from '../../../shared/domain/affiliates/totals.ts';
import { updateAffiliate } from '../../../shared/domain/affiliates/update-affiliate.ts';
import { deleteGroup } from '../../../shared/domain/deletions/delete-group.ts';
import { moveMessage } from '../../../shared/domain/deletions/move-affiliates.ts';
import { createGroup } from '../../../shared/domain/groups/create-group.ts';
import { groupsOf } from '../../../shared/domain/groups/repository.ts';
import { defaultGroupId, noGroups } from '../../../shared/domain/groups/rules.ts';
import { type DeletionMessage, firstMessage, workOnDeletion } from '../../support/deletions.ts';
import { at, bodyOf, newProgram, now, outcomeOf, storeAffiliate, type TestProgram } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';

const later = new Date(at(60_000));
const missing = '019a0000-0000-7000-8000-00000000dead';

const newGroup = (program: TestProgram, commissionRate = 25) =>
  createGroup(program, { name: 'Partners', commissionRate, productRules: [], tiers: [], holdDays: 0 }, now);
const put = ({ id }: TestProgram, affiliateId: string, groupId: string | null, when = later) =>
  updateAffiliate(id, bodyOf(updateOperation, { affiliateId, groupId }), undefined, when);
const remove = (program: TestProgram, groupId: string, moveTo?: string) =>
  deleteGroup(program, { groupId, moveTo }, undefined, later);

/** Of the affiliate as it is stored: null is the default group. */
const placeOf = async ({ id }: TestProgram, affiliateId: string) => (await affiliates.get(id, affiliateId))?.groupId;

const shown = async (program: TestProgram, affiliateId: string) => {
  const affiliate = await affiliates.get(program.id, affiliateId);
  const [response] = await affiliateResponses(await withTotals(program.id, affiliate ? [affiliate] : []), program);
  return { groupId: response?.groupId, commissionRate: response?.commissionRate };
};

/** As the queue does, the second round too. */
const workOn = async (message: DeletionMessage) => {
  for (const { message: next, delaySeconds } of await workOnDeletion(message))
    if (delaySeconds !== undefined) await workOnDeletion(next);
};
const finish = ({ id }: TestProgram, groupId: string) => workOn(firstMessage(id, groupId, 'GROUP'));
const move = async (program: TestProgram, groupId: string, moveTo: string, when = later): Promise<DeletionMessage> => ({
  ...(await moveMessage(program, { groupId, moveTo }, when)),
  step: 0,
  isSweep: false,
});

describe('an affiliate', () => {
  it('is created in a group, changes it, and goes back to the default group; its own rate wins', async () => {
    const program = newProgram();
    const [first, second] = [await newGroup(program, 25), await newGroup(program, 30)];
    const body = { email: 'amara@example.com', firstName: 'Amara', groupId: first.id };
    const { id } = await createAffiliate(program.id, bodyOf(createOperation, body), now);
    expect(await shown(program, id)).toEqual({ groupId: first.id, commissionRate: 25 });
    await put(program, id, second.id);
    expect(await shown(program, id)).toEqual({ groupId: second.id, commissionRate: 30 });
    await updateAffiliate(
      program.id,
      bodyOf(updateOperation, { affiliateId: id, commissionRate: 1 }),
      undefined,
      later,
    );
    expect(await shown(program, id)).toEqual({ groupId: second.id, commissionRate: 1 });
    await put(program, id, defaultGroupId(program.id));
    expect(await placeOf(program, id)).toBeNull();
    await put(program, id, second.id);
    await put(program, id, null);
    expect(await shown(program, id)).toEqual({ groupId: defaultGroupId(program.id), commissionRate: 1 });
  });

  it('comes into no group that is not there, in another program, or deleted at this moment', async () => {
    const program = newProgram();
    const { id } = await storeAffiliate(program);
    const group = await newGroup(program);
    const elsewhere = await newGroup(newProgram());
    const notFound = { status: 404, path: 'groupId' };
    const body = { email: 'amara@example.com', firstName: 'Amara', groupId: missing };
    expect(await outcomeOf(() => createAffiliate(program.id, bodyOf(createOperation, body), now))).toEqual(notFound);
    expect(await outcomeOf(() => put(program, id, elsewhere.id))).toEqual(notFound);
    expect(
      await outcomeOf(() =>
        interrupted(
          () => put(program, id, group.id),
          () => remove(program, group.id),
        ),
      ),
    ).toEqual(notFound);
    expect(await placeOf(program, id)).toBeNull();
  });

  it('is found by its group, and by the default group among all', async () => {
    const program = newProgram();
    const group = await newGroup(program);
    const inGroup = [await storeAffiliate(program), await storeAffiliate(program, { status: 'BANNED' })];
    const others = [await storeAffiliate(program), await storeAffiliate(program)];
    for (const { id } of inGroup) await put(program, id, group.id);
    const ids = async (filters: object) =>
      (await listAffiliates(program.id, filters, { limit: 10 })).items.map(({ id }) => id).sort();
    const idsOf = (some: readonly { id: string }[]) => some.map(({ id }) => id).sort();
    expect(await ids({ groupId: group.id })).toEqual(idsOf(inGroup));
    expect(await ids({ groupId: group.id, status: 'BANNED' })).toEqual(idsOf(inGroup.slice(1)));
    expect(await ids({ groupId: defaultGroupId(program.id) })).toEqual(idsOf(others));
    expect(await ids({ groupId: missing })).toEqual([]);
  });
});

describe('a group is deleted', () => {
  it('without affiliates, or with the group that they move to; the default group is not', async () => {
    const program = newProgram();
    const [group, other] = [await newGroup(program), await newGroup(program)];
    const { id } = await storeAffiliate(program);
    await put(program, id, group.id);
    const refused = (groupId: string, moveTo?: string) => outcomeOf(() => remove(program, groupId, moveTo));
    expect(await refused(defaultGroupId(program.id), group.id)).toMatchObject({ status: 409 });
    expect(await refused(group.id)).toMatchObject({ status: 409 });
    expect(await refused(group.id, group.id)).toEqual({ status: 400, path: 'moveTo' });
    expect(await refused(group.id, missing)).toMatchObject({ status: 404 });
    expect(await refused(missing)).toMatchObject({ status: 404 });
    expect(await outcomeOf(() => deleteGroup(program, { groupId: other.id }, [7], later))).toMatchObject({
      status: 412,
    });
    await put(program, id, null);
    expect(await refused(group.id)).toBe('accepted');
  });

  it('and its affiliates belong to the other one at once, and are there after the work, done twice', async () => {
    const program = newProgram();
    const [group, other] = [await newGroup(program, 25), await newGroup(program, 30)];
    const some = await Promise.all([1, 2, 3].map(() => storeAffiliate(program)));
    for (const { id } of some) await put(program, id, group.id);
    await remove(program, group.id, other.id);
    expect(await shown(program, some[0]?.id ?? '')).toEqual({ groupId: other.id, commissionRate: 30 });
    // Those of the other one are on their way.
    expect(await outcomeOf(() => remove(program, other.id))).toMatchObject({ status: 409 });
    await workOnDeletion(firstMessage(program.id, group.id, 'GROUP'));
    expect((await groupsOf(program.id)).moves.size).toBe(1);
    await Promise.all([finish(program, group.id), finish(program, group.id)]);
    for (const { id } of some) expect(await placeOf(program, id)).toBe(other.id);
    expect((await groupsOf(program.id)).moves.size).toBe(0);
  });

  it('to the default group, and affiliates follow', async () => {
    const program = newProgram();
    const group = await newGroup(program);
    const { id } = await storeAffiliate(program);
    await put(program, id, group.id);
    await remove(program, group.id, defaultGroupId(program.id));
    await finish(program, group.id);
    expect(await placeOf(program, id)).toBeNull();
    expect(await groupsOf(program.id)).toEqual(noGroups);
  });

  it('race: with an affiliate that came in at this moment, which falls to the default group', async () => {
    const program = newProgram();
    const group = await newGroup(program);
    const { id } = await storeAffiliate(program);
    await interrupted(
      () => remove(program, group.id),
      () => put(program, id, group.id),
    );
    expect(await shown(program, id)).toMatchObject({ groupId: defaultGroupId(program.id) });
    await finish(program, group.id);
    expect(await placeOf(program, id)).toBeNull();
  });

  it('race: and so is the group that they move to: it is refused, or they go on to where that one moves', async () => {
    const program = newProgram();
    const [first, second, third] = [await newGroup(program), await newGroup(program), await newGroup(program)];
    const { id } = await storeAffiliate(program);
    await put(program, id, first.id);
    expect(
      await outcomeOf(() =>
        interrupted(
          () => remove(program, first.id, second.id),
          () => remove(program, second.id),
        ),
      ),
    ).toMatchObject({ status: 404 });
    await remove(program, first.id, third.id);
    const last = await newGroup(program);
    await remove(program, third.id, last.id);
    // The later one is done first.
    await finish(program, third.id);
    expect(await shown(program, id)).toMatchObject({ groupId: last.id });
    await finish(program, first.id);
    expect(await placeOf(program, id)).toBe(last.id);
    expect((await groupsOf(program.id)).moves.size).toBe(0);
  });

  it('race: while the move to it ends, which stays ended', async () => {
    const program = newProgram();
    const [first, second, third] = [await newGroup(program), await newGroup(program), await newGroup(program)];
    await remove(program, first.id, second.id);
    await remove(program, second.id, third.id);
    await interrupted(
      () => workOnDeletion({ ...firstMessage(program.id, second.id, 'GROUP'), isSweep: true }),
      () => finish(program, first.id),
    );
    expect((await groupsOf(program.id)).moves).toEqual(new Map());
  });

  it('race: while an affiliate is moved, which goes where the deleted group moves', async () => {
    const program = newProgram();
    const [first, second, third] = [await newGroup(program), await newGroup(program), await newGroup(program)];
    const { id } = await storeAffiliate(program);
    await put(program, id, first.id);
    await remove(program, first.id, second.id);
    await interrupted(
      () => workOnDeletion(firstMessage(program.id, first.id, 'GROUP')),
      () => remove(program, second.id, third.id),
    );
    expect(await placeOf(program, id)).toBe(third.id);
  });

  it('twice at once: once', async () => {
    const program = newProgram();
    const [group, other] = [await newGroup(program), await newGroup(program)];
    expect(
      await outcomeOf(() =>
        interrupted(
          () => remove(program, group.id, other.id),
          () => remove(program, group.id, other.id),
        ),
      ),
    ).toMatchObject({ status: 404 });
  });
});

describe('all affiliates of a group are moved', () => {
  it('who are in it by then; who comes later stays, however late and often the message comes', async () => {
    const program = newProgram();
    const [group, other] = [await newGroup(program), await newGroup(program)];
    const [early, edited, late] = [
      await storeAffiliate(program),
      await storeAffiliate(program),
      await storeAffiliate(program),
    ];
    for (const { id } of [early, edited]) await put(program, id, group.id);
    const message = await move(program, group.id, other.id);
    const after = new Date(at(120_000));
    await updateAffiliate(
      program.id,
      bodyOf(updateOperation, { affiliateId: edited.id, lastName: 'O' }),
      undefined,
      after,
    );
    await put(program, late.id, group.id, after);
    await Promise.all([workOn(message), workOn(message)]);
    expect(await Promise.all([early, edited, late].map(({ id }) => placeOf(program, id)))).toEqual([
      other.id,
      other.id,
      group.id,
    ]);
    await put(program, early.id, group.id, after);
    await workOn(message);
    expect(await placeOf(program, early.id)).toBe(group.id);
  });

  it('from the default group too, and into it', async () => {
    const program = newProgram();
    const group = await newGroup(program);
    const { id } = await storeAffiliate(program);
    await workOn(await move(program, defaultGroupId(program.id), group.id));
    expect(await placeOf(program, id)).toBe(group.id);
    await workOn(await move(program, group.id, defaultGroupId(program.id), new Date()));
    expect(await placeOf(program, id)).toBeNull();
  });

  it('nowhere where the group that they go to is gone by then, and on to where that one moves', async () => {
    const program = newProgram();
    const [group, gone, moved, last] = await Promise.all([1, 2, 3, 4].map(() => newGroup(program)));
    const { id } = await storeAffiliate(program);
    if (!group || !gone || !moved || !last) throw new Error('There are four');
    await put(program, id, group.id);
    const nowhere = await move(program, group.id, gone.id);
    const further = await move(program, group.id, moved.id);
    await remove(program, gone.id);
    await remove(program, moved.id, last.id);
    await workOn(nowhere);
    expect(await placeOf(program, id)).toBe(group.id);
    await workOn(further);
    expect(await placeOf(program, id)).toBe(last.id);
  });

  it('not between groups that are not there, or the same', async () => {
    const program = newProgram();
    const { id } = await newGroup(program);
    expect(await outcomeOf(() => move(program, id, id))).toEqual({ status: 400, path: 'moveTo' });
    expect(await outcomeOf(() => move(program, id, missing))).toMatchObject({ status: 404 });
    expect(await outcomeOf(() => move(program, missing, id))).toMatchObject({ status: 404 });
  });
});
