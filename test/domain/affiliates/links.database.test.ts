import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../../events/catalogue.ts';
import { updateAffiliate as affiliateUpdate } from '../../../shared/contract/affiliates.ts';
import { createLink } from '../../../shared/domain/affiliates/create-link.ts';
import { deleteLink } from '../../../shared/domain/affiliates/delete-link.ts';
import { findLink } from '../../../shared/domain/affiliates/find-link.ts';
import { takeOutLink } from '../../../shared/domain/affiliates/link-entry.ts';
import { links } from '../../../shared/domain/affiliates/link-repository.ts';
import { renameLink } from '../../../shared/domain/affiliates/rename-link.ts';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { maxLinks } from '../../../shared/domain/affiliates/rules.ts';
import { updateAffiliate } from '../../../shared/domain/affiliates/update-affiliate.ts';
import { connectLink } from '../../../shared/domain/promotional-codes/link-connections.ts';
import { withActor } from '../../../shared/platform/table/actor.ts';
import { getItem } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
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

const later = new Date(at(60_000));
const refused = (path: string) => ({ status: 400, path });

const create = ({ id }: TestProgram, affiliateId: string, link: string) => createLink(id, { affiliateId, link }, now);
const rename = ({ id }: TestProgram, link: string, newLink: string, versions?: number[]) =>
  renameLink(id, { link, newLink }, versions, later);

const setUp = async () => {
  const program = newProgram();
  const affiliate = await storeAffiliate(program);
  const slugs = async () =>
    Object.values((await affiliates.get(program.id, affiliate.id))?.links ?? {}).map(({ link }) => link);
  return { program, affiliate, slugs };
};

describe('a new link', () => {
  it('is unique in the program, case-insensitively', async () => {
    const { program, affiliate, slugs } = await setUp();
    const other = await storeAffiliate(program);
    expect(await create(program, affiliate.id, 'Summer')).toMatchObject({ link: 'Summer', affiliateId: affiliate.id });
    expect(await outcomeOf(() => create(program, other.id, 'sUMMER'))).toEqual(refused('link'));
    expect(await slugs()).toEqual(['Summer']);
    const elsewhere = await setUp();
    expect(await outcomeOf(() => create(elsewhere.program, elsewhere.affiliate.id, 'Summer'))).toBe('accepted');
  });

  it.each([
    { count: maxLinks - 1, outcome: 'accepted' },
    { count: maxLinks, outcome: refused('link') },
  ])('beside $count others', async ({ count, outcome }) => {
    const program = newProgram();
    const entry = (number: number) => [`id-${number}`, { link: `link-${number}`, createdAt: at(0), updatedAt: at(0) }];
    const { id } = await storeAffiliate(program, {
      links: Object.fromEntries(Array.from({ length: count }, (_, number) => entry(number))),
    });
    expect(await outcomeOf(() => create(program, id, 'one-more'))).toEqual(outcome);
    expect((await links.find(program.id, 'SLUG', 'one-more')) !== undefined).toBe(outcome === 'accepted');
  });

  it('race: of many for the last places of an affiliate as many are made as there are', async () => {
    const program = newProgram();
    const entry = (number: number) => [`id-${number}`, { link: `link-${number}`, createdAt: at(0), updatedAt: at(0) }];
    const { id } = await storeAffiliate(program, {
      links: Object.fromEntries(Array.from({ length: maxLinks - 2 }, (_, number) => entry(number))),
    });
    const race = Array.from({ length: 6 }, (_, number) => outcomeOf(() => create(program, id, `new-${number}`)));
    const outcomes = await Promise.all(race);
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(2);
    expect(Object.keys((await affiliates.get(program.id, id))?.links ?? {})).toHaveLength(maxLinks);
    const left = await Promise.all(outcomes.map((_, number) => links.find(program.id, 'SLUG', `new-${number}`)));
    expect(left.filter((link) => link !== undefined)).toHaveLength(2);
  });

  it('of no affiliate of the program is refused', async () => {
    const { affiliate } = await setUp();
    expect(await outcomeOf(() => create(newProgram(), affiliate.id, 'Summer'))).toEqual({ status: 404 });
  });
});

const entered: Record<string, (program: TestProgram, affiliateId: string) => Promise<unknown>> = {
  'a new link': (program, affiliateId) => createLink(program.id, { affiliateId, link: 'new' }, later),
  'a renamed link': (program) => rename(program, 'first', 'second'),
  'a deleted link': (program) => deleteLink(program.id, { link: 'first' }, undefined, later),
  "a link of the affiliate's edit": ({ id }, affiliateId) =>
    updateAffiliate(id, bodyOf(affiliateUpdate, { affiliateId, affiliateLink: 'second' }), undefined, later),
  'a link that its worker enters': async (program, affiliateId) => {
    const { id } = await storeLink(program, { affiliateId });
    await connectLink(program.id, id, later);
    // A message may come twice.
    await connectLink(program.id, id, later);
  },
  'a deleted link that its worker takes out': async ({ id }, affiliateId) => {
    const { id: linkId } = await findLink(id, { link: 'first' });
    for (const at of [later, new Date(later.getTime() + 1000)]) await takeOutLink(id, { id: linkId, affiliateId }, at);
  },
};

// docs/behavior.md#links-and-their-affiliate
describe('the affiliate moves once, with its links before, by', () => {
  it.each(Object.entries(entered))('%s', async (_, change) => {
    const { program, affiliate } = await setUp();
    await create(program, affiliate.id, 'first');
    const before = await affiliates.get(program.id, affiliate.id);
    await withActor('KEY:1', () => change(program, affiliate.id));
    const after = await affiliates.get(program.id, affiliate.id);
    expect(after).toMatchObject({ version: Number(before?.version) + 1, updatedAt: later.toISOString() });
    const image = await getItem('records', { pk: partition(program.id, 'AFFILIATE'), sk: affiliate.id });
    const stored = { before: { ...before }, after: { ...image } };
    const [event, ...others] = await eventsOf(
      { ...stored, programId: program.id, kind: 'AFFILIATE', recordId: affiliate.id, noticedAt: later },
      program,
    );
    expect(others).toEqual([]);
    const { type, timestamp, previousAttributes } = JSON.parse(event?.body ?? '{}');
    expect([type, timestamp]).toEqual(['affiliate.updated', later.toISOString()]);
    expect(Object.keys(previousAttributes)).toEqual(['affiliateLinks']);
    expect(previousAttributes.affiliateLinks.map(({ link }: { link: string }) => link)).toEqual(['first']);
    expect(image?.by).toBe('KEY:1');
  });

  it('race: many at once, of which none is lost', async () => {
    const { program, affiliate, slugs } = await setUp();
    for (const link of ['renamed', 'deleted']) await create(program, affiliate.id, link);
    const before = await affiliates.get(program.id, affiliate.id);
    const changes = [
      rename(program, 'renamed', 'second'),
      deleteLink(program.id, { link: 'deleted' }, undefined, later),
      updateAffiliate(
        program.id,
        bodyOf(affiliateUpdate, { affiliateId: affiliate.id, firstName: 'Zoë' }),
        undefined,
        later,
      ),
      ...Array.from({ length: 6 }, (_, number) => create(program, affiliate.id, `new-${number}`)),
    ];
    await Promise.all(changes);
    const after = await affiliates.get(program.id, affiliate.id);
    expect(after).toMatchObject({ firstName: 'Zoë', version: Number(before?.version) + changes.length });
    const expected = ['second', ...Array.from({ length: 6 }, (_, number) => `new-${number}`)];
    expect((await slugs()).toSorted()).toEqual(expected.toSorted());
  });
});

describe('a link', () => {
  it('can be renamed to a free slug, also its own in other letters', async () => {
    const { program, affiliate, slugs } = await setUp();
    await create(program, affiliate.id, 'Summer');
    await create(program, affiliate.id, 'taken');
    expect(await outcomeOf(() => rename(program, 'summer', 'TAKEN'))).toEqual(refused('newLink'));
    expect(await outcomeOf(() => rename(program, 'summer', 'SUMMER'))).toBe('accepted');
    const { link } = await rename(program, 'summer', 'winter');
    expect(link).toMatchObject({ link: 'winter', version: 3, updatedAt: later.toISOString() });
    expect((await slugs()).toSorted()).toEqual(['taken', 'winter']);
    expect(await outcomeOf(() => create(program, affiliate.id, 'Summer'))).toBe('accepted');
  });

  it('is named by its id, its slug, or both where they are of one', async () => {
    const { program, affiliate } = await setUp();
    const one = await create(program, affiliate.id, 'one');
    await create(program, affiliate.id, 'other');
    const remove = (named: { id?: string; link?: string }) => () =>
      deleteLink(program.id, named, undefined, new Date());
    expect(await outcomeOf(remove({ id: one.id, link: 'other' }))).toEqual({ status: 404 });
    expect(await outcomeOf(remove({ link: 'none' }))).toEqual({ status: 404 });
    expect(await outcomeOf(remove({ id: one.id, link: 'ONE' }))).toBe('accepted');
    expect(await outcomeOf(remove({ id: one.id }))).toEqual({ status: 404 });
    expect(await outcomeOf(remove({ link: 'OTHER' }))).toBe('accepted');
  });

  it('is taken off its affiliate when it is deleted', async () => {
    const { program, affiliate, slugs } = await setUp();
    await create(program, affiliate.id, 'one');
    await create(program, affiliate.id, 'other');
    await deleteLink(program.id, { link: 'one' }, undefined, new Date());
    expect(await slugs()).toEqual(['other']);
    expect(await outcomeOf(() => create(program, affiliate.id, 'ONE'))).toBe('accepted');
  });

  it.each([
    { versions: [1], outcome: 'accepted' },
    { versions: [2], outcome: { status: 412 } },
  ])('of version 1 where $versions are expected', async ({ versions, outcome }) => {
    const { program, affiliate } = await setUp();
    await create(program, affiliate.id, 'renamed');
    await create(program, affiliate.id, 'deleted');
    expect(await outcomeOf(() => rename(program, 'renamed', 'new', versions))).toEqual(outcome);
    expect(await outcomeOf(() => deleteLink(program.id, { link: 'deleted' }, versions, new Date()))).toEqual(outcome);
  });
});
