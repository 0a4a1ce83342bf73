import { describe, expect, it } from 'vitest';
import { createGroup } from '../../../shared/contract/groups.ts';
import { groupResponse } from '../../../shared/domain/groups/responses.ts';
import {
  allGroups,
  defaultGroupId,
  groupOf,
  noGroups,
  type StoredGroup,
  type StoredGroups,
  unstoredDefault,
} from '../../../shared/domain/groups/rules.ts';
import { recordIdEdges } from '../../../shared/platform/table/record-id.ts';

const program = { id: '019a0000-0000-7000-8000-000000000001', currency: 'USD', commissionRate: 20 };

const stored = (id: string, overrides: Partial<StoredGroup> = {}): StoredGroup => ({
  ...unstoredDefault(program),
  id,
  version: 1,
  name: id,
  ...overrides,
});

const known = (groups: readonly StoredGroup[], moves: Record<string, string> = {}): StoredGroups => ({
  groups,
  moves: new Map(Object.entries(moves)),
});

describe('the default group', () => {
  it('is made from the program where it is not stored, with an id and a time that follow from the program’s id', () => {
    const [group, ...others] = allGroups(noGroups, program);
    expect(others).toEqual([]);
    expect(group).toMatchObject({
      id: defaultGroupId(program.id),
      isDefault: true,
      version: 0,
      name: 'Default',
      createdAt: '2025-10-20T05:03:11.360Z',
      commissionType: 'PERCENTAGE',
      commissionRate: 20,
      holdDays: 0,
    });
    expect(defaultGroupId(program.id)).toMatch(/^019a0000-0000-7/);
    expect(defaultGroupId('019a0000-0000-7000-8000-000000000002')).not.toBe(group?.id);
  });

  it('pays the rate of the program, whatever is stored, and has its other terms from the table', () => {
    const edited = stored(defaultGroupId(program.id), { commissionRate: 5, holdDays: 30 });
    expect(groupOf({ groupId: null }, known([edited]), { ...program, commissionRate: 33 })).toMatchObject({
      commissionType: 'PERCENTAGE',
      commissionRate: 33,
      holdDays: 30,
    });
  });

  it('is the last of all, which are newest first', () => {
    const ids = [1, 3, 2].map((time) => recordIdEdges.lowest(Date.parse('2026-01-01') + time));
    const edited = stored(defaultGroupId(program.id));
    const all = allGroups(known([edited, ...ids.map((id) => stored(id))]), program);
    expect(all.map(({ id }) => id)).toEqual([ids[1], ids[2], ids[0], edited.id]);
    expect(all.map(({ isDefault }) => isDefault)).toEqual([false, false, false, true]);
  });
});

describe('an affiliate belongs', () => {
  it.each([
    { what: 'to the default group without another', groupId: null, moves: {}, place: 'default' },
    { what: 'to its group', groupId: 'a', moves: {}, place: 'a' },
    { what: 'to the default group where its own is gone', groupId: 'gone', moves: {}, place: 'default' },
    { what: 'to where a deleted group moves', groupId: 'x', moves: { x: 'a' }, place: 'a' },
    { what: 'to the end of several moves', groupId: 'x', moves: { x: 'y', y: 'z', z: 'a' }, place: 'a' },
    { what: 'to its group while that has a move', groupId: 'a', moves: { a: 'b' }, place: 'a' },
    { what: 'to the default group where moves go round', groupId: 'x', moves: { x: 'y', y: 'x' }, place: 'default' },
  ])('$what', ({ groupId, moves, place }) => {
    const id = groupOf({ groupId }, known([stored('a'), stored('b')], moves), program).id;
    expect(id).toBe(place === 'default' ? defaultGroupId(program.id) : place);
  });
});

describe('amounts of a group', () => {
  const priced = stored('a', {
    commissionType: 'FLAT',
    commissionRate: null,
    commissionAmountMinor: 525,
    minimumPayoutMinor: 2000,
    productRules: [{ productIds: ['p'], type: 'FLAT', rate: null, amountMinor: 150 }],
    tiers: [
      {
        minimumRevenueMinor: 10_000,
        minimumSales: null,
        period: 'MONTH',
        type: 'PERCENTAGE',
        rate: 30,
        amountMinor: null,
      },
    ],
  });

  it.each([
    { currency: 'USD', amounts: [5.25, 20, 1.5, 100], minor: 525 },
    { currency: 'JPY', amounts: [5, 20, 2, 100], minor: 5 },
    { currency: 'KWD', amounts: [5.25, 20, 1.5, 100], minor: 5250 },
  ])('keep their numbers where the program changes its currency to $currency', ({ currency, amounts, minor }) => {
    const group = groupOf({ groupId: 'a' }, known([priced]), { ...program, currency });
    expect(group.commissionAmountMinor).toBe(minor);
    const { commissionAmount, minimumPayout, productRules, tiers } = groupResponse(group, program.id);
    expect([commissionAmount, minimumPayout, productRules[0]?.amount, tiers[0]?.minimumRevenue]).toEqual(amounts);
  });
});

describe('a body of a group is refused at', () => {
  const rule = { productIds: ['p'], rate: 10 };
  const tier = { minimumSales: 10, rate: 10 };
  it.each([
    { body: {}, path: 'commissionRate' },
    { body: { commissionType: 'FLAT' }, path: 'commissionAmount' },
    { body: { commissionType: 'FLAT', commissionAmount: 5, commissionRate: 5 }, path: 'commissionRate' },
    { body: { commissionRate: 101 }, path: 'commissionRate' },
    { body: { commissionRate: 5, commissionAmount: 5 }, path: 'commissionAmount' },
    { body: { commissionRate: 5, commissionMonths: 0 }, path: 'commissionMonths' },
    { body: { commissionRate: 5, holdDays: 91 }, path: 'holdDays' },
    { body: { commissionRate: 5, minimumPayout: 0 }, path: 'minimumPayout' },
    { body: { commissionRate: 5, productRules: [{ productIds: ['p'] }] }, path: 'productRules.0.rate' },
    { body: { commissionRate: 5, productRules: [{ ...rule, type: 'FLAT' }] }, path: 'productRules.0.amount' },
    { body: { commissionRate: 5, productRules: [{ ...rule, rate: 101 }] }, path: 'productRules.0.rate' },
    { body: { commissionRate: 5, productRules: [{ ...rule, productIds: [] }] }, path: 'productRules.0.productIds' },
    { body: { commissionRate: 5, productRules: [rule, rule] }, path: 'productRules.1.productIds.0' },
    { body: { commissionRate: 5, productRules: Array(51).fill(rule) }, path: 'productRules' },
    { body: { commissionRate: 5, tiers: [{ rate: 10 }] }, path: 'tiers.0.minimumRevenue' },
    { body: { commissionRate: 5, tiers: [{ ...tier, minimumRevenue: 5 }] }, path: 'tiers.0.minimumSales' },
    { body: { commissionRate: 5, tiers: [{ ...tier, minimumSales: 0 }] }, path: 'tiers.0.minimumSales' },
    { body: { commissionRate: 5, tiers: [{ ...tier, period: 'YEAR' }] }, path: 'tiers.0.period' },
    { body: { commissionRate: 5, tiers: [{ minimumSales: 10 }] }, path: 'tiers.0.rate' },
    { body: { commissionRate: 5, tiers: [tier, tier] }, path: 'tiers.1.minimumSales' },
    { body: { commissionRate: 5, tiers: Array(11).fill(tier) }, path: 'tiers' },
  ])('$path: $body', ({ body, path }) => {
    const parsed = createGroup.body.safeParse({ name: 'Partners', ...body });
    expect(parsed.error?.issues.map((issue) => issue.path.join('.'))).toContain(path);
  });

  it('nothing where all is at its bound', () => {
    const productRules = Array.from({ length: 50 }, (_, at) => ({ productIds: [`p${at}`], amount: 1 }));
    const tiers = Array.from({ length: 10 }, (_, at) => ({ minimumSales: at + 1, rate: 100 }));
    const body = { name: 'Partners', commissionRate: 0, commissionMonths: 1200, holdDays: 90, productRules, tiers };
    expect(createGroup.body.safeParse(body).error).toBeUndefined();
  });
});
