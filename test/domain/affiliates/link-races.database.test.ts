import { describe, expect, it } from 'vitest';
import {
  createAffiliate as affiliateOperation,
  updateAffiliate as affiliateUpdate,
} from '../../../shared/contract/affiliates.ts';
import { createAffiliate } from '../../../shared/domain/affiliates/create-affiliate.ts';
import { createLink } from '../../../shared/domain/affiliates/create-link.ts';
import { deleteLink } from '../../../shared/domain/affiliates/delete-link.ts';
import { links } from '../../../shared/domain/affiliates/link-repository.ts';
import { renameLink } from '../../../shared/domain/affiliates/rename-link.ts';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { maxLinks } from '../../../shared/domain/affiliates/rules.ts';
import { expireTotalsWrite } from '../../../shared/domain/affiliates/totals.ts';
import { updateAffiliate } from '../../../shared/domain/affiliates/update-affiliate.ts';
import { deleteAffiliate } from '../../../shared/domain/deletions/delete-affiliate.ts';
import { connectLink } from '../../../shared/domain/promotional-codes/link-connections.ts';
import { ConcurrentModificationError } from '../../../shared/platform/table/keys.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { at, bodyOf, newProgram, now, outcomeOf, storeAffiliate, storeLink } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';

const taken = (path: string) => ({ status: 400, path });

/** An affiliate with so many entries of links. */
const setUp = async (linkCount = 0) => {
  const program = newProgram();
  const entry = (number: number) => [`id-${number}`, { link: `link-${number}`, createdAt: at(0), updatedAt: at(0) }];
  const affiliate = await storeAffiliate(program, {
    links: Object.fromEntries(Array.from({ length: linkCount }, (_, number) => entry(number))),
  });
  const slugs = async () =>
    Object.values((await affiliates.get(program.id, affiliate.id))?.links ?? {}).map(({ link }) => link);
  return {
    program,
    affiliate,
    create: (link: string) => createLink(program.id, { affiliateId: affiliate.id, link }, now),
    remove: () => deleteAffiliate(program.id, affiliate.id, undefined, now),
    slugs,
  };
};

describe('race: a new link', () => {
  it('whose slug is taken in between is refused', async () => {
    const { create, slugs } = await setUp();
    const outcome = await outcomeOf(() =>
      interrupted(
        () => create('summer'),
        () => create('SUMMER'),
      ),
    );
    expect(outcome).toEqual(taken('link'));
    expect(await slugs()).toEqual(['SUMMER']);
  });

  it('for the last place of its affiliate, which another one takes in between, leaves nothing', async () => {
    const { program, create, slugs } = await setUp(maxLinks - 1);
    const outcome = await outcomeOf(() =>
      interrupted(
        () => create('summer'),
        () => create('winter'),
        // The first write is the link, the second its entry.
        2,
      ),
    );
    expect(outcome).toEqual(taken('link'));
    expect(await links.find(program.id, 'SLUG', 'summer')).toBeUndefined();
    expect(await slugs()).toHaveLength(maxLinks);
  });

  it('of an edit for the last place, which another one takes in between, is refused', async () => {
    const { program, affiliate, create, slugs } = await setUp(maxLinks - 1);
    const body = bodyOf(affiliateUpdate, { affiliateId: affiliate.id, affiliateLink: 'summer' });
    const outcome = await outcomeOf(() =>
      interrupted(
        () => updateAffiliate(program.id, body, undefined, now),
        () => create('winter'),
      ),
    );
    expect(outcome).toEqual(taken('affiliateLink'));
    expect(await links.find(program.id, 'SLUG', 'summer')).toBeUndefined();
    expect(await slugs()).toHaveLength(maxLinks);
  });

  it('has no place in a full affiliate, whatever a caller has counted', async () => {
    const { program, affiliate, slugs } = await setUp(maxLinks);
    const entry = { link: 'summer', createdAt: at(0), updatedAt: at(0) };
    const full = { ...affiliate, links: { ...affiliate.links, another: entry } };
    await expect(writeTogether(affiliates.updateWrites(program.id, affiliate, full))).rejects.toThrow(
      ConcurrentModificationError,
    );
    expect(await slugs()).toHaveLength(maxLinks);
  });

  it.each([1, 2])(
    'of an affiliate that is deleted in between, at write %i, leaves nothing that a sweep does not find',
    async (write) => {
      const { program, affiliate, create, remove } = await setUp();
      const outcome = await outcomeOf(() => interrupted(() => create('summer'), remove, write));
      expect(outcome).toEqual({ status: 404 });
      expect(await affiliates.get(program.id, affiliate.id)).toBeUndefined();
      expect(await links.find(program.id, 'SLUG', 'summer')).toBeUndefined();
    },
  );

  it.each([1, 2])('is entered once, and not after its deletion, where its worker runs beside: %i', async (write) => {
    const { program, create, slugs } = await setUp();
    await interrupted(
      () => create('summer'),
      async () => {
        const link = await links.find(program.id, 'SLUG', 'summer');
        if (link) await connectLink(program.id, link.id, now);
      },
      write,
    );
    expect(await slugs()).toEqual(['summer']);
  });

  it('that is deleted while its worker enters it leaves no entry', async () => {
    const { program, affiliate, slugs } = await setUp();
    const { id } = await storeLink(program, { affiliateId: affiliate.id });
    await interrupted(
      () => connectLink(program.id, id, now),
      () => deleteLink(program.id, { id }, undefined, now),
    );
    expect(await slugs()).toEqual([]);
  });

  it('that is renamed while its worker enters it is entered under its new slug', async () => {
    const { program, affiliate, slugs } = await setUp();
    const { id } = await storeLink(program, { affiliateId: affiliate.id });
    await interrupted(
      () => connectLink(program.id, id, now),
      () => renameLink(program.id, { id, newLink: 'winter' }, undefined, now),
    );
    expect(await slugs()).toEqual(['winter']);
  });

  it('of an affiliate that already has 100 links gets no entry from its worker', async () => {
    const { program, affiliate, slugs } = await setUp(maxLinks);
    const { id } = await storeLink(program, { affiliateId: affiliate.id });
    await connectLink(program.id, id, now);
    expect(await slugs()).toHaveLength(maxLinks);
  });

  it('whose worker loses the last place to another link gets no entry', async () => {
    const { program, affiliate, create, slugs } = await setUp(maxLinks - 1);
    const { id } = await storeLink(program, { affiliateId: affiliate.id });
    await interrupted(
      () => connectLink(program.id, id, now),
      () => create('winter'),
    );
    expect(await slugs()).toHaveLength(maxLinks);
    expect(await slugs()).toContain('winter');
  });

  it('of a deleted affiliate is left to the sweep by its worker', async () => {
    const { program, affiliate, remove } = await setUp();
    const { id } = await storeLink(program, { affiliateId: affiliate.id });
    expect(await outcomeOf(() => interrupted(() => connectLink(program.id, id, now), remove))).toBe('accepted');
    expect(await affiliates.get(program.id, affiliate.id)).toBeUndefined();
  });
});

describe('race: a link', () => {
  it('that is renamed while its affiliate is deleted stays as it was', async () => {
    const { program, create, remove } = await setUp();
    const { id } = await create('summer');
    const rename = () => renameLink(program.id, { id, newLink: 'winter' }, undefined, now);
    expect(await outcomeOf(() => interrupted(rename, remove))).toEqual({ status: 404 });
    expect((await links.get(program.id, id))?.link).toBe('summer');
    expect(await links.find(program.id, 'SLUG', 'winter')).toBeUndefined();
  });

  it('that is renamed to a slug that is taken in between is refused', async () => {
    const { program, create, slugs } = await setUp();
    const { id } = await create('summer');
    const rename = () => renameLink(program.id, { id, newLink: 'winter' }, undefined, now);
    expect(await outcomeOf(() => interrupted(rename, () => create('winter')))).toEqual(taken('newLink'));
    expect((await slugs()).toSorted()).toEqual(['summer', 'winter']);
  });

  it('that is deleted with its affiliate brings no affiliate back', async () => {
    const { program, affiliate, create, remove } = await setUp();
    const { id } = await create('summer');
    await interrupted(() => deleteLink(program.id, { id }, undefined, now), remove, 2);
    expect(await affiliates.get(program.id, affiliate.id)).toBeUndefined();
  });
});

describe('race: a new affiliate', () => {
  const body = { email: 'amara@example.com', firstName: 'Amara', lastName: 'Okafor' };
  const create =
    (programId: string, overrides: object = {}) =>
    () =>
      createAffiliate(programId, bodyOf(affiliateOperation, { ...body, ...overrides }), now);

  it('whose email is taken in between is refused, and its slug stays free', async () => {
    const { id } = newProgram();
    const outcome = await outcomeOf(() =>
      interrupted(create(id, { affiliateLink: 'one' }), create(id, { affiliateLink: 'two' })),
    );
    expect(outcome).toEqual(taken('email'));
    expect(await links.find(id, 'SLUG', 'one')).toBeUndefined();
  });

  it('whose own slug is taken in between gets another one, and a given one is refused', async () => {
    const { id } = newProgram();
    const made = await interrupted(create(id), create(id, { email: 'b@example.com' }));
    const [link] = Object.values(made.links);
    expect(link?.link).toMatch(/^amara-okafor-?\d+$/);
    const given = { affiliateLink: 'given' };
    const outcome = await outcomeOf(() =>
      interrupted(create(id, { ...given, email: 'c@example.com' }), create(id, { ...given, email: 'd@example.com' })),
    );
    expect(outcome).toEqual(taken('affiliateLink'));
  });

  it('that takes the email of another one by an edit in between is refused', async () => {
    const { program, affiliate } = await setUp();
    const edit = () =>
      updateAffiliate(
        program.id,
        bodyOf(affiliateUpdate, { affiliateId: affiliate.id, email: body.email }),
        undefined,
        now,
      );
    expect(await outcomeOf(() => interrupted(edit, create(program.id)))).toEqual(taken('email'));
  });

  it('never gets the totals of a purged one back', async () => {
    const { program } = await setUp();
    await expect(writeTogether([expireTotalsWrite(program.id, 'purged', now)])).rejects.toThrow(
      ConcurrentModificationError,
    );
  });
});
