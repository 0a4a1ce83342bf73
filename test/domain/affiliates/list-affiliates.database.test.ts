import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createAffiliate as createOperation } from '../../../shared/contract/affiliates.ts';
import { createAffiliate } from '../../../shared/domain/affiliates/create-affiliate.ts';
import { affiliateOfSlug, findAffiliate } from '../../../shared/domain/affiliates/find-affiliate.ts';
import { links } from '../../../shared/domain/affiliates/link-repository.ts';
import { listAffiliates } from '../../../shared/domain/affiliates/list-affiliates.ts';
import { affiliateIdOfFilter, affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { affiliateResponse } from '../../../shared/domain/affiliates/responses.ts';
import {
  expireTotalsWrite,
  incrementTotalsWrite,
  newestTotals,
  noTotals,
  withTotals,
} from '../../../shared/domain/affiliates/totals.ts';
import { noGroups } from '../../../shared/domain/groups/rules.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { getItem, updateItem } from '../../../shared/platform/table/items.ts';
import type { PageRequest } from '../../../shared/platform/table/page.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { recordIdEdges } from '../../../shared/platform/table/record-id.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { at, bodyOf, newProgram, now, storeAffiliate, storeLink } from '../../support/domain.ts';
import { sentCommands } from '../../support/notes.ts';
import { roundTripsOf } from '../../support/round-trips.ts';
import { makeStoredAffiliate, makeStoredLink } from '../../support/stored-records.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** An active affiliate with 12.50 of revenue, and a banned one. */
const setUp = async () => {
  const program = newProgram();
  const searchWords = ['amara', 'okafor'];
  const amara = await storeAffiliate(program, { email: 'amara@example.com', searchWords });
  const banned = await storeAffiliate(program, { status: 'BANNED', firstName: 'Amara', searchWords: ['amara'] });
  await writeTogether([incrementTotalsWrite(program.id, amara.id, { totalRevenueMinor: 1250n })]);
  const link = await storeLink(program, { affiliateId: amara.id, link: 'Summer' });
  const withTheirTotals = {
    amara: { ...amara, ...noTotals, totalRevenueMinor: 1250 },
    banned: { ...banned, ...noTotals },
  };
  return { program, amara, banned, link, withTheirTotals };
};
const byId = <Item extends { id: string }>(items: readonly Item[]) =>
  items.toSorted((one, other) => (one.id < other.id ? -1 : 1));

describe('a list of affiliates', () => {
  it.each<{ by: string; query: { status?: string; search?: string }; kept: ('amara' | 'banned')[]; read: number }>([
    { by: 'no filter', query: {}, kept: ['amara', 'banned'], read: 4 },
    { by: 'a status', query: { status: 'BANNED' }, kept: ['banned'], read: 1 },
    { by: 'a search', query: { search: 'ama' }, kept: ['amara', 'banned'], read: 2 },
    { by: 'a search and a status', query: { search: 'ama', status: 'ACTIVE' }, kept: ['amara'], read: 2 },
    { by: 'a status that none has', query: { status: 'INACTIVE' }, kept: [], read: 0 },
  ])('by $by has those that it names, with their totals', async ({ query, kept, read }) => {
    const { program, withTheirTotals } = await setUp();
    const list = () => listAffiliates(program.id, query, { limit: 10 });
    expect(byId((await list()).items)).toEqual(byId(kept.map((name) => withTheirTotals[name])));
    expect((await roundTripsOf(list)).found).toHaveLength(read);
  });

  it.each<[what: string, query: { status?: string; search: string }, request: Partial<PageRequest>]>([
    ['a status', { search: 'ama', status: 'ACTIVE' }, {}],
    ['a second word', { search: 'ama oka' }, {}],
    ['a time', { search: 'ama' }, { updatedAfter: at(-1) }],
  ])('that is searched, with %s as well, reads the totals of what is listed alone', async (_, query, request) => {
    const { program, amara } = await setUp();
    const old = { createdAt: at(-2), updatedAt: at(-2), searchWords: ['amara'], lastName: 'Eze' };
    for (let made = 0; made < 5; made++) await storeAffiliate(program, { ...old, status: 'BANNED' });
    const read = vi.spyOn(documents, 'send');
    const { items } = await listAffiliates(program.id, query, { limit: 10, ...request });
    expect(items.map(({ id }) => id)).toContain(amara.id);
    const keys = read.mock.calls.flatMap(([{ input }]) =>
      Object.values('RequestItems' in input ? (input.RequestItems ?? {}) : {}).flatMap(
        (asked) => Object(asked).Keys ?? [],
      ),
    );
    expect(keys.filter(({ pk }) => pk.endsWith('#TOTALS'))).toHaveLength(items.length);
    expect(items.length).toBeLessThan(3);
  });

  it.each([false, true])('goes on after a page, oldest first: %s', async (isOldestFirst) => {
    const { program, withTheirTotals } = await setUp();
    const request = { limit: 1, isOldestFirst };
    const first = await listAffiliates(program.id, {}, request);
    const second = await listAffiliates(program.id, {}, { ...request, after: first.next });
    const inOrder = byId(Object.values(withTheirTotals));
    expect([...first.items, ...second.items]).toEqual(isOldestFirst ? inOrder : inOrder.toReversed());
    expect(second.next).toBeUndefined();
  });

  it('reads the totals beside the affiliates, also before a time', async () => {
    const { program } = await setUp();
    for (const request of [{ limit: 10 }, { limit: 10, createdBefore: at(1) }]) {
      const { trips } = await roundTripsOf(() => listAffiliates(program.id, {}, request));
      expect(trips).toHaveLength(1);
    }
    expect((await listAffiliates(program.id, {}, { limit: 10, createdBefore: at(0) })).items).toEqual([]);
  });

  it('of a period that ends before a position begins at the end of the period', async () => {
    const { program, withTheirTotals } = await setUp();
    const sent = sentCommands();
    const request = { limit: 10, createdBefore: at(1), after: recordIdEdges.highest(now.getTime() + 1) };
    const { items } = await listAffiliates(program.id, {}, request);
    expect(byId(items)).toEqual(byId(Object.values(withTheirTotals)));
    expect(sent().map(({ input }) => input.ExclusiveStartKey)).toEqual([undefined, undefined]);
  });
});

describe('one affiliate', () => {
  it('is found by its id, its email and a slug, with its totals, and by nothing else', async () => {
    const { program, amara, link, withTheirTotals } = await setUp();
    const find = (name: 'id' | 'email' | 'link', value: string, { id } = program) => findAffiliate(id, name, value);
    for (const [name, value] of [
      ['id', amara.id],
      ['id', 'sUMMER'],
      ['link', 'SUMMER'],
      ['email', 'amara@example.com'],
    ] as const) {
      expect(await find(name, value)).toEqual(withTheirTotals.amara);
      expect(await find(name, value, newProgram())).toBeUndefined();
    }
    for (const name of ['id', 'link', 'email'] as const) expect(await find(name, randomUUID())).toBeUndefined();
    const id = randomUUID();
    await storeLink(program, { affiliateId: amara.id, link: id });
    expect(await find('id', id)).toEqual(withTheirTotals.amara);
    expect(await affiliateOfSlug(program.id, 'summer')).toEqual({ linkId: link.id, affiliateId: amara.id });
  });

  it('is found by a slug from before it kept its affiliate, with one read more', async () => {
    const { program, amara, link } = await setUp();
    const find = () => affiliateOfSlug(program.id, 'summer');
    expect((await roundTripsOf(find)).trips).toHaveLength(1);
    const [, name] = links.createWrites(program.id, link);
    const { pk, sk } = name?.Put?.Item ?? {};
    await updateItem('records', { pk: String(pk), sk: String(sk) }, { UpdateExpression: 'REMOVE affiliateId' });
    expect(await find()).toEqual({ linkId: link.id, affiliateId: amara.id });
    expect((await roundTripsOf(find)).trips).toHaveLength(2);
  });

  it('filters a list by id or email; a list by both finds nothing if they belong to two affiliates', async () => {
    const { program, amara, banned } = await setUp();
    const filter = (named: Parameters<typeof affiliateIdOfFilter>[1]) => affiliateIdOfFilter(program.id, named);
    expect(await filter({})).toBeUndefined();
    expect(await filter({ affiliateId: amara.id })).toBe(amara.id);
    expect(await filter({ affiliateEmail: amara.email })).toBe(amara.id);
    expect(await filter({ affiliateId: amara.id, affiliateEmail: amara.email })).toBe(amara.id);
    expect(await filter({ affiliateId: banned.id, affiliateEmail: amara.email })).toBeNull();
    expect(await filter({ affiliateEmail: 'nobody@example.com' })).toBeNull();
  });

  it('is in the indexes of its status, and its links in that of the affiliate', () => {
    const keysOf = (item: Record<string, unknown> | undefined) =>
      Object.entries(item ?? {}).flatMap(([name, key]) => (/^gsi\dpk$/.test(name) ? [String(key)] : []));
    const [affiliate] = affiliates.createWrites('p', makeStoredAffiliate({ status: 'BANNED' }));
    expect(keysOf(affiliate?.Put?.Item)).toEqual([expect.stringMatching(/STATUS#BANNED$/)]);
    const [link, slug] = links.createWrites('p', makeStoredLink({ affiliateId: 'a' }));
    expect(keysOf(link?.Put?.Item)).toEqual([expect.stringMatching(/AFFILIATE#a$/)]);
    expect(slug?.Put?.Item).toMatchObject({ affiliateId: 'a' });
  });
});

describe('a new affiliate', () => {
  const create = (programId: string, input: object) =>
    createAffiliate(programId, bodyOf(createOperation, { email: 'zoe@example.com', firstName: 'Zoë', ...input }), now);

  it.each([
    { input: {}, status: 'ACTIVE' },
    { input: { affiliateStatus: 'inactive' }, status: 'INACTIVE' },
    { input: { affiliateStatus: 'ACTIVE' }, status: 'ACTIVE' },
    { input: { status: 'inactive' }, status: 'INACTIVE' },
    { input: { status: 'active' }, status: 'ACTIVE' },
  ])('has the status that it is sent with: $input', async ({ input, status }) => {
    const program = newProgram();
    const affiliate = await create(program.id, input);
    expect(affiliate).toMatchObject({ status, lastName: '', source: 'API' });
    const found = await listAffiliates(program.id, { search: 'zoe' }, { limit: 10 });
    expect(found.items).toEqual([{ ...affiliate, ...noTotals }]);
    expect(affiliateResponse({ ...affiliate, ...noTotals }, { ...program, currency: 'USD' }, noGroups)).toMatchObject({
      id: affiliate.id,
      programId: program.id,
      status,
      totalRevenue: 0,
    });
  });
});

describe('totals', () => {
  it('of deleted affiliates stay for 35 days, and count no more for the program', async () => {
    const { program, amara, banned } = await setUp();
    const totalsOf = async (count: number) => {
      const { totals, isAll } = await newestTotals(program.id, count);
      return { ids: totals.map(({ affiliateId }) => affiliateId).sort(), isAll };
    };
    expect(await totalsOf(3)).toEqual({ ids: [amara.id, banned.id].sort(), isAll: true });
    expect((await totalsOf(1)).isAll).toBe(false);
    await writeTogether([expireTotalsWrite(program.id, banned.id, now)]);
    const item = await getItem('records', { pk: partition(program.id, 'AFFILIATE', 'TOTALS'), sk: banned.id });
    expect(item?.ttl).toBe(now.getTime() / 1000 + 35 * 24 * 60 * 60);
    expect((await totalsOf(3)).ids).toEqual([amara.id]);
    const gone = expireTotalsWrite(program.id, randomUUID(), now);
    await expect(writeTogether([gone])).rejects.toThrow('are gone');
  });

  it('that are known are not read again', async () => {
    const { program, amara, banned, withTheirTotals } = await setUp();
    const known = new Map([[amara.id, { ...noTotals, totalRevenueMinor: 7 }]]);
    const read = await withTotals(program.id, [amara, banned], known);
    expect(read).toEqual([{ ...withTheirTotals.amara, totalRevenueMinor: 7 }, withTheirTotals.banned]);
    expect((await roundTripsOf(() => withTotals(program.id, [amara], known))).trips).toEqual([]);
  });
});
