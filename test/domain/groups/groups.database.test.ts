import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createGroup as createOperation, updateGroup as updateOperation } from '../../../shared/contract/groups.ts';
import { createGroup } from '../../../shared/domain/groups/create-group.ts';
import { listGroups } from '../../../shared/domain/groups/list-groups.ts';
import { groupsOf } from '../../../shared/domain/groups/repository.ts';
import { groupResponse } from '../../../shared/domain/groups/responses.ts';
import { allGroups, defaultGroupId, noGroups } from '../../../shared/domain/groups/rules.ts';
import { updateGroup } from '../../../shared/domain/groups/update-group.ts';
import { at, bodyOf, newProgram, now, outcomeOf, type TestProgram } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';

const later = new Date(at(60_000));

type CreateInput = Parameters<typeof bodyOf<typeof createOperation.body>>[1];
type UpdateInput = Parameters<typeof bodyOf<typeof updateOperation.body>>[1];

const create = (program: TestProgram, input: Partial<CreateInput> = {}, when = now) =>
  createGroup(program, bodyOf(createOperation, { name: 'Partners', commissionRate: 25, ...input }), when);
const update = (program: TestProgram, input: UpdateInput, versions?: number[]) =>
  updateGroup(program, bodyOf(updateOperation, input), versions, later);
const found = async (program: TestProgram, id: string) =>
  allGroups(await groupsOf(program.id), program).find((group) => group.id === id);

describe('a group', () => {
  it('is stored in minor units and shown in decimals', async () => {
    const program = newProgram({ currency: 'KWD' });
    const created = await create(program, {
      commissionRate: undefined,
      commissionAmount: 1.2345,
      productRules: [{ productIds: ['p'], amount: 0.5 }],
      tiers: [{ minimumRevenue: 100, rate: 30 }],
      minimumPayout: 20,
    });
    expect(created).toMatchObject({ commissionAmountMinor: 1235, minimumPayoutMinor: 20_000 });
    const read = await found(program, created.id);
    expect(read).toEqual(created);
    expect(read && groupResponse(read, program.id)).toMatchObject({
      commissionType: 'FLAT',
      commissionRate: null,
      commissionAmount: 1.235,
      productRules: [{ productIds: ['p'], type: 'FLAT', rate: null, amount: 0.5 }],
      tiers: [
        { minimumRevenue: 100, minimumSales: null, period: 'ALL_TIME', type: 'PERCENTAGE', rate: 30, amount: null },
      ],
      minimumPayout: 20,
      commissionMonths: null,
    });
  });

  it('is refused with the path of an amount that rounds to 0, and with more than 16 KB', async () => {
    const program = newProgram({ currency: 'JPY' });
    const tiny = [{ productIds: ['p'], amount: 0.2 }];
    expect(await outcomeOf(() => create(program, { productRules: tiny }))).toEqual({
      status: 400,
      path: 'productRules.0.amount',
    });
    const productIds = Array.from({ length: 100 }, () => `${randomUUID()}${randomUUID()}${randomUUID()}`.slice(0, 100));
    const large = [1, 2].map((rate) => ({ productIds: productIds.map((id) => `${rate}${id}`.slice(0, 100)), rate }));
    expect(await outcomeOf(() => create(program, { productRules: large }))).toEqual({
      status: 400,
      path: 'productRules',
    });
    expect(await groupsOf(program.id)).toEqual(noGroups);
  });

  it('changes what is sent; a new type takes the figure of the other one away', async () => {
    const program = newProgram();
    const { id } = await create(program, { holdDays: 30, commissionMonths: 12, minimumPayout: 5 });
    await update(program, { groupId: id, commissionType: 'FLAT', commissionAmount: 5, commissionMonths: null });
    expect(await found(program, id)).toMatchObject({
      version: 2,
      commissionType: 'FLAT',
      commissionRate: null,
      commissionAmountMinor: 500,
      commissionMonths: null,
      holdDays: 30,
      minimumPayoutMinor: 500,
      updatedAt: later.toISOString(),
    });
    const refused = (input: object) => outcomeOf(() => update(program, { groupId: id, ...input }));
    expect(await refused({ commissionRate: 5 })).toEqual({ status: 400, path: 'commissionRate' });
    expect(await refused({ commissionType: 'PERCENTAGE' })).toEqual({ status: 400, path: 'commissionRate' });
    expect(await refused({ commissionAmount: null })).toEqual({ status: 400, path: 'commissionAmount' });
    await update(program, { groupId: id, commissionType: 'PERCENTAGE', commissionRate: 15, minimumPayout: null });
    expect(await found(program, id)).toMatchObject({
      commissionType: 'PERCENTAGE',
      commissionRate: 15,
      commissionAmountMinor: null,
      minimumPayoutMinor: null,
    });
  });

  it('is not found in another program, nor changed from another version', async () => {
    const program = newProgram();
    const { id } = await create(program);
    expect(await outcomeOf(() => update(newProgram(), { groupId: id }))).toMatchObject({ status: 404 });
    expect(await outcomeOf(() => update(program, { groupId: id, name: 'A' }, [7]))).toMatchObject({ status: 412 });
    expect(await outcomeOf(() => update(program, { groupId: id, name: 'A' }, [1]))).toBe('accepted');
  });

  it('race: two edits at once both count', async () => {
    const program = newProgram();
    const { id } = await create(program);
    await interrupted(
      () => update(program, { groupId: id, name: 'Friends' }),
      () => update(program, { groupId: id, holdDays: 9 }),
    );
    expect(await found(program, id)).toMatchObject({ name: 'Friends', holdDays: 9, version: 3 });
  });
});

describe('the default group', () => {
  it('is stored by its first edit, and pays the rate of the program', async () => {
    const program = newProgram();
    const groupId = defaultGroupId(program.id);
    const refused = (input: object) => outcomeOf(() => update(program, { groupId, ...input }));
    expect(await refused({ commissionRate: 50 })).toEqual({ status: 400, path: 'commissionRate' });
    expect(await refused({ commissionRate: null })).toEqual({ status: 400, path: 'commissionRate' });
    expect(await refused({ commissionAmount: 5 })).toEqual({ status: 400, path: 'commissionAmount' });
    expect(await refused({ commissionType: 'FLAT', commissionAmount: 5 })).toEqual({
      status: 400,
      path: 'commissionType',
    });
    expect(await refused({ name: 'Everyone' }).then(() => refused({ name: 'A' }))).toBe('accepted');
    expect(await outcomeOf(() => update(program, { groupId, holdDays: 1 }, [0]))).toMatchObject({ status: 412 });
    await update(program, { groupId, commissionRate: program.commissionRate, holdDays: 30 }, [2]);
    expect(await found({ ...program, commissionRate: 44 }, groupId)).toMatchObject({
      name: 'A',
      holdDays: 30,
      commissionRate: 44,
      isDefault: true,
      version: 3,
    });
  });

  it('race: two first edits at once both count', async () => {
    const program = newProgram();
    const groupId = defaultGroupId(program.id);
    await interrupted(
      () => update(program, { groupId, name: 'Everyone' }),
      () => update(program, { groupId, holdDays: 9 }),
    );
    expect(await found(program, groupId)).toMatchObject({ name: 'Everyone', holdDays: 9, version: 2 });
  });
});

describe('the list of groups', () => {
  it('has every group once over its pages, newest first, and the default group as the oldest', async () => {
    const program = newProgram();
    const made = [];
    for (const minutes of [1, 2, 3]) made.push(await create(program, {}, new Date(at(minutes * 60_000))));
    const ids = [...made.map(({ id }) => id).reverse(), defaultGroupId(program.id)];
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await listGroups(program, { limit: 1, after });
      seen.push(...page.items.map(({ id }) => id));
      after = page.next;
    } while (after);
    expect(seen).toEqual(ids);
    const some = async (range: object) => (await listGroups(program, { limit: 9, ...range })).items.map(({ id }) => id);
    expect(await some({ isOldestFirst: true })).toEqual(ids.toReversed());
    expect(await some({ createdAfter: at(120_000) })).toEqual(ids.slice(0, 2));
    expect(await some({ createdBefore: at(120_000) })).toEqual(ids.slice(2));
    expect(await some({ updatedAfter: at(60_000) })).toEqual(ids.slice(0, 2));
  });
});
