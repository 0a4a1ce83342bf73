import { describe, expect, it } from 'vitest';
import {
  createAffiliate as createOperation,
  updateAffiliate as updateOperation,
} from '../../../shared/contract/affiliates.ts';
import { createAffiliate } from '../../../shared/domain/affiliates/create-affiliate.ts';
import { links } from '../../../shared/domain/affiliates/link-repository.ts';
import { affiliates, findAffiliate } from '../../../shared/domain/affiliates/repository.ts';
import { maxLinks, type StoredAffiliate } from '../../../shared/domain/affiliates/rules.ts';
import { updateAffiliate } from '../../../shared/domain/affiliates/update-affiliate.ts';
import {
  at,
  bodyOf,
  newProgram,
  now,
  outcomeOf,
  storeAffiliate,
  storeLink,
  type TestProgram,
} from '../../support/domain.ts';

type CreateInput = Parameters<typeof bodyOf<typeof createOperation.body>>[1];
type UpdateInput = Parameters<typeof bodyOf<typeof updateOperation.body>>[1];

const later = new Date(at(60_000));

const create = ({ id }: TestProgram, input: Partial<CreateInput> = {}) =>
  createAffiliate(
    id,
    bodyOf(createOperation, { email: 'amara@example.com', firstName: 'Amara', lastName: 'Okafor', ...input }),
    now,
  );

const update = ({ id }: TestProgram, input: UpdateInput, versions?: number[]) =>
  updateAffiliate(id, bodyOf(updateOperation, input), versions, later);

const slugsOf = (affiliate: StoredAffiliate): string[] => Object.values(affiliate.links).map(({ link }) => link);
const refused = (path: string) => ({ status: 400, path });

/** As many links as given, as an affiliate keeps them. */
const manyLinks = (count: number): StoredAffiliate['links'] =>
  Object.fromEntries(
    Array.from({ length: count }, (_, number) => [
      `019a0000-0000-7000-8000-${String(number).padStart(12, '0')}`,
      { link: `link-${number}`, createdAt: at(0), updatedAt: at(0) },
    ]),
  );

describe('the email of an affiliate', () => {
  it('is unique in the program', async () => {
    const program = newProgram();
    expect(await outcomeOf(() => create(program))).toBe('accepted');
    expect(await outcomeOf(() => create(program, { email: ' AMARA@example.com ' }))).toEqual(refused('email'));
    expect(await outcomeOf(() => create(program, { email: 'amara@example.org' }))).toBe('accepted');
    expect(await outcomeOf(() => create(newProgram()))).toBe('accepted');
  });

  it('race: is taken once of five at the same time, and the others leave no link', async () => {
    const program = newProgram();
    const race = Array.from({ length: 5 }, (_, number) =>
      outcomeOf(() => create(program, { affiliateLink: `link-${number}` })),
    );
    const outcomes = await Promise.all(race);
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
    const found = await Promise.all(outcomes.map((_, number) => links.find(program.id, 'SLUG', `link-${number}`)));
    expect(found.filter((link) => link !== undefined)).toHaveLength(1);
  });

  it('can change to one that nobody has', async () => {
    const program = newProgram();
    const { id } = await create(program);
    await create(program, { email: 'taken@example.com' });
    const change = (email: string) => () => update(program, { affiliateId: id, email });
    expect(await outcomeOf(change('taken@example.com'))).toEqual(refused('email'));
    expect(await outcomeOf(change('free@example.com'))).toBe('accepted');
    expect(await affiliates.find(program.id, 'EMAIL', 'amara@example.com')).toBeUndefined();
    expect(await outcomeOf(() => create(program))).toBe('accepted');
  });
});

describe('the first link of an affiliate', () => {
  it('is made of the name, with a number where it is taken', async () => {
    const program = newProgram();
    const slugs: string[] = [];
    for (let number = 0; number < 6; number++)
      slugs.push(...slugsOf(await create(program, { email: `amara-${number}@example.com` })));
    expect(slugs).toEqual([
      'amara-okafor',
      'amara-okafor-2',
      'amara-okafor-3',
      'amara-okafor-4',
      'amara-okafor-5',
      expect.stringMatching(/^amara-okafor-\d{4,6}$/),
    ]);
  });

  it.each([
    { input: { firstName: '漢字', lastName: null }, slug: /^[a-z-]+$/ },
    { input: { firstName: '!', lastName: null, email: 'zoe.b@example.com' }, slug: /^zoe-b$/ },
    { input: { firstName: '!', lastName: null, email: '!@example.com' }, slug: /^affiliate$/ },
  ])('of $input', async ({ input, slug }) => {
    expect(slugsOf(await create(newProgram(), input))).toEqual([expect.stringMatching(slug)]);
  });

  it('is the given one, refused where it is taken case-insensitively', async () => {
    const program = newProgram();
    await create(program, { affiliateLink: 'Summer' });
    const again = { email: 'other@example.com', affiliateLink: 'sUMMER' };
    expect(await outcomeOf(() => create(program, again))).toEqual(refused('affiliateLink'));
    expect(await affiliates.find(program.id, 'EMAIL', 'other@example.com')).toBeUndefined();
  });

  it('is kept as a link and on the affiliate', async () => {
    const program = newProgram();
    const affiliate = await create(program, { affiliateLink: 'Summer' });
    const link = await links.find(program.id, 'SLUG', 'summer');
    expect(link).toMatchObject({ link: 'Summer', affiliateId: affiliate.id, clicks: 0 });
    expect(Object.keys(affiliate.links)).toEqual([link?.id]);
  });
});

describe('an update of an affiliate', () => {
  it.each<{ input: Omit<UpdateInput, 'affiliateId'>; after: Partial<StoredAffiliate> }>([
    { input: { affiliateStatus: 'banned' }, after: { status: 'BANNED' } },
    { input: { affiliateStatus: 'inactive' }, after: { status: 'INACTIVE' } },
    { input: { affiliateStatus: 'active' }, after: { status: 'ACTIVE' } },
    { input: { commissionRate: 0 }, after: { commissionRate: 0 } },
    { input: { commissionRate: null }, after: { commissionRate: null } },
    { input: { lastName: null }, after: { firstName: 'Amara', lastName: '' } },
    { input: { firstName: 'Zoë' }, after: { firstName: 'Zoë', lastName: 'Okafor', commissionRate: 20 } },
  ])('$input', async ({ input, after }) => {
    const program = newProgram();
    const { id } = await storeAffiliate(program, { commissionRate: 20 });
    const updated = await update(program, { affiliateId: id, ...input });
    expect(updated).toMatchObject({ ...after, version: 2, updatedAt: later.toISOString() });
    expect(await affiliates.get(program.id, id)).toEqual(updated);
  });

  it.each([
    { count: maxLinks - 1, outcome: 'accepted' },
    { count: maxLinks, outcome: refused('affiliateLink') },
  ])('adds a link to $count others', async ({ count, outcome }) => {
    const program = newProgram();
    const { id } = await storeAffiliate(program, { links: manyLinks(count) });
    expect(await outcomeOf(() => update(program, { affiliateId: id, affiliateLink: 'one-more' }))).toEqual(outcome);
    expect((await links.find(program.id, 'SLUG', 'one-more')) !== undefined).toBe(outcome === 'accepted');
  });

  it('adds no link that the affiliate has, and none that another one has', async () => {
    const program = newProgram();
    const { id } = await storeAffiliate(program, { links: manyLinks(maxLinks) });
    await storeLink(program, { link: 'taken' });
    const same = await update(program, { affiliateId: id, affiliateLink: 'LINK-0' });
    expect(Object.keys(same.links)).toHaveLength(maxLinks);
    const other = await storeAffiliate(program);
    const taken = () => update(program, { affiliateId: other.id, affiliateLink: 'Taken' });
    expect(await outcomeOf(taken)).toEqual(refused('affiliateLink'));
  });

  it.each([
    { versions: [1], outcome: 'accepted' },
    { versions: [2], outcome: { status: 412 } },
  ])('of version 1 where $versions are expected', async ({ versions, outcome }) => {
    const program = newProgram();
    const { id } = await storeAffiliate(program);
    expect(await outcomeOf(() => update(program, { affiliateId: id, firstName: 'Zoë' }, versions))).toEqual(outcome);
  });

  it('race: of two affiliates that want one email one gets it', async () => {
    const program = newProgram();
    const both = [await storeAffiliate(program), await storeAffiliate(program)];
    const outcomes = await Promise.all(
      both.map(({ id }) => outcomeOf(() => update(program, { affiliateId: id, email: 'wanted@example.com' }))),
    );
    expect(outcomes).toContain('accepted');
    expect(outcomes).toContainEqual(refused('email'));
  });
});

describe('an affiliate is found', () => {
  const setUp = async () => {
    const program = newProgram();
    return { program, one: await storeAffiliate(program), other: await storeAffiliate(program) };
  };

  it('by id, by email, or by both where they are of one', async () => {
    const { program, one, other } = await setUp();
    const find = (named: Parameters<typeof findAffiliate>[1], { id } = program) => findAffiliate(id, named);
    expect(await find({ affiliateId: one.id })).toEqual(one);
    expect(await find({ affiliateEmail: one.email })).toEqual(one);
    expect(await find({ affiliateId: one.id, affiliateEmail: one.email })).toEqual(one);
    const notFound = { status: 404 };
    expect(await outcomeOf(() => find({ affiliateId: one.id, affiliateEmail: other.email }))).toEqual(notFound);
    expect(await outcomeOf(() => find({ affiliateEmail: 'nobody@example.com' }))).toEqual(notFound);
    expect(await outcomeOf(() => find({ affiliateId: one.id }, newProgram()))).toEqual(notFound);
  });
});
