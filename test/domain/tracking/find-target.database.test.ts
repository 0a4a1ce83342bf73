import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { copyStatusToLinks } from '../../../shared/domain/affiliates/copy-status-to-links.ts';
import { createLink } from '../../../shared/domain/affiliates/create-link.ts';
import { deleteLink } from '../../../shared/domain/affiliates/delete-link.ts';
import { links } from '../../../shared/domain/affiliates/link-repository.ts';
import { renameLink } from '../../../shared/domain/affiliates/rename-link.ts';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { updateAffiliate } from '../../../shared/domain/affiliates/update-affiliate.ts';
import { createProgram } from '../../../shared/domain/programs/programs.ts';
import { getProgram } from '../../../shared/domain/programs/repository.ts';
import { updateProgram } from '../../../shared/domain/programs/update-program.ts';
import { connectLink } from '../../../shared/domain/promotional-codes/link-connections.ts';
import { findTarget } from '../../../shared/domain/tracking/find-target.ts';
import { connections } from '../../../shared/platform/clients/signed-call.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { deployedName } from '../../../shared/platform/table/deployed-name.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { newProgram, now, outcomeOf, storeAffiliate } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { roundTripsOf } from '../../support/round-trips.ts';

const shop = 'https://shop.example/';

const setUp = async () => {
  const { programId } = await createProgram(
    { name: `Shop ${randomUUID().slice(0, 8)}`, ownerEmail: `${randomUUID()}@example.com`, baseUrls: [shop] },
    now,
  );
  const { handle } = await getProgram(programId);
  const affiliate = await storeAffiliate(newProgram({ id: programId }));
  const create = (link: string) => createLink(programId, { link, affiliateId: affiliate.id }, now);
  const [one, two] = [await create('One'), await create('two')];
  const ban = () => updateAffiliate(programId, { affiliateId: affiliate.id, status: 'banned' }, undefined, now);
  return { programId, handle: handle ?? '', affiliate, one, two, create, ban };
};

const creditOf = async (handle: string, link: string) => (await findTarget(handle, link))?.link?.link;

/** The calls that it makes, one after the other. */
const readsOf = async (handle: string, link: string): Promise<string[]> => {
  const calls = vi.spyOn(connections, 'handle');
  try {
    await findTarget(handle, link);
    return calls.mock.calls.map(([{ headers }]) => headers['x-amz-target'] ?? '');
  } finally {
    calls.mockRestore();
  }
};

const read = 'DynamoDB_20120810.BatchGetItem';

/** As an earlier version has stored the text of a link. */
const forget = (programId: string, slug: string, names: readonly string[]) =>
  documents.send(
    new UpdateCommand({
      TableName: deployedName('records'),
      Key: links.keyOfName(programId, 'SLUG', slug),
      UpdateExpression: `REMOVE ${names.map((_, at) => `#n${at}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name, at) => [`#n${at}`, name])),
    }),
  );
const copies = ['link', 'destinationUrl', 'affiliateStatus'];

describe('what an address leads to', () => {
  it('is read in one call where the handle was seen before, whichever link it is, and in two where it was not', async () => {
    const { programId, handle } = await setUp();
    expect(await readsOf(handle, 'one')).toEqual([read, read]);
    for (const link of ['one', 'two', 'none', '%00', '']) expect(await readsOf(handle, link)).toEqual([read]);
    for (const link of ['one', 'two', 'none']) expect(await readsOf(programId, link)).toEqual([read]);
    expect(await readsOf(`no-${randomUUID().slice(0, 8)}`, 'one')).toEqual([read]);
    for (const name of ['', 'a', 'A-B', 'x'.repeat(41), 'a#b']) expect(await readsOf(name, 'one')).toEqual([]);
  });

  it('is the program, with the link and its page', async () => {
    const { programId, handle, one, affiliate } = await setUp();
    expect(await findTarget(handle, 'oNE')).toEqual({
      program: { id: programId, baseUrls: [shop], attribution: 'LAST_CLICK', attributionDays: 60, showsCodes: false },
      link: { id: one.id, link: 'One', affiliateId: affiliate.id, destinationUrl: null },
    });
    await renameLink(programId, { link: 'one', destinationUrl: `${shop}spring` }, undefined, now);
    expect((await findTarget(handle, 'one'))?.link?.destinationUrl).toBe(`${shop}spring`);
    await renameLink(programId, { link: 'one', destinationUrl: null }, undefined, now);
    expect((await findTarget(handle, 'one'))?.link?.destinationUrl).toBeNull();
    expect(await readsOf(handle, 'one')).toEqual([read]);
  });

  it('follows a handle to the program that has it now, in two calls', async () => {
    const [first, second] = [await setUp(), await setUp()];
    expect((await findTarget(first.handle, 'one'))?.program.id).toBe(first.programId);
    const { handle: _, ...edit } = await getProgram(first.programId);
    await updateProgram(first.programId, { ...edit, handle: first.programId }, now);
    expect(await findTarget(first.handle, 'one')).toBeUndefined();
    await updateProgram(second.programId, { ...(await getProgram(second.programId)), handle: first.handle }, now);
    expect((await findTarget(first.handle, 'one'))?.program.id).toBe(second.programId);
    await updateProgram(second.programId, { ...(await getProgram(second.programId)), handle: second.handle }, now);
    await updateProgram(first.programId, { ...edit, handle: first.handle }, now);
    expect(await readsOf(first.handle, 'one')).toEqual([read, read]);
    expect((await findTarget(first.handle, 'one'))?.program.id).toBe(first.programId);
  });

  it('is found for links of every earlier version too, and in one call once their worker has seen them', async () => {
    const { programId, handle, one } = await setUp();
    await renameLink(programId, { link: 'one', destinationUrl: `${shop}spring` }, undefined, now);
    const found = await findTarget(handle, 'one');
    await forget(programId, 'one', copies);
    expect(await findTarget(handle, 'one')).toEqual(found);
    expect(await readsOf(handle, 'one')).toEqual([read, read]);
    await forget(programId, 'one', ['affiliateId']);
    expect(await findTarget(handle, 'one')).toEqual(found);
    expect(await readsOf(handle, 'one')).toEqual([read, read, read]);
    await connectLink(programId, one.id, now);
    expect(await findTarget(handle, 'one')).toEqual(found);
    expect(await readsOf(handle, 'one')).toEqual([read]);
  });

  it('is a renamed link at once, and in one call once its worker has seen it', async () => {
    const { programId, handle, one, affiliate } = await setUp();
    await renameLink(programId, { link: 'one', newLink: 'ONE' }, undefined, now);
    expect(await creditOf(handle, 'one')).toBe('ONE');
    await renameLink(programId, { link: 'one', newLink: 'Other' }, undefined, now);
    expect(await creditOf(handle, 'one')).toBeUndefined();
    expect(await creditOf(handle, 'other')).toBe('Other');
    await copyStatusToLinks(programId, affiliate.id, one.id);
    expect(await readsOf(handle, 'other')).toEqual([read]);
    await deleteLink(programId, { link: 'other' }, undefined, now);
    expect(await creditOf(handle, 'other')).toBeUndefined();
  });
});

describe('a link of an affiliate who is not active', () => {
  it('gives no credit once the worker has updated the links, and credit again afterwards', async () => {
    const { programId, handle, affiliate, ban } = await setUp();
    await ban();
    await copyStatusToLinks(programId, affiliate.id);
    expect([await creditOf(handle, 'one'), await creditOf(handle, 'two')]).toEqual([undefined, undefined]);
    await updateAffiliate(
      programId,
      { affiliateId: affiliate.id, status: 'active', affiliateLink: 'new' },
      undefined,
      now,
    );
    await copyStatusToLinks(programId, affiliate.id);
    expect([await creditOf(handle, 'one'), await creditOf(handle, 'new')]).toEqual(['One', 'new']);
    const again = await roundTripsOf(() => copyStatusToLinks(programId, affiliate.id));
    expect(again.trips.flat().filter((name) => name.startsWith('Update'))).toEqual([]);
  });

  it('gives none from the start where the affiliate was not active then', async () => {
    const { handle, create, ban } = await setUp();
    await ban();
    await create('late');
    expect(await creditOf(handle, 'late')).toBeUndefined();
    expect(await readsOf(handle, 'late')).toEqual([read]);
  });

  it('gives none where the affiliate was deleted, before its links are', async () => {
    const { programId, handle, affiliate } = await setUp();
    const present = await affiliates.get(programId, affiliate.id);
    if (present) await writeTogether(affiliates.deleteWrites(programId, present));
    await copyStatusToLinks(programId, affiliate.id);
    expect([await creditOf(handle, 'one'), await creditOf(handle, 'two')]).toEqual([undefined, undefined]);
    await forget(programId, 'one', copies);
    expect(await creditOf(handle, 'one')).toBeUndefined();
  });

  it('race: a status that changes while a link is made reaches the link with its worker', async () => {
    const { programId, handle, affiliate, create, ban } = await setUp();
    const late = await interrupted(
      () => create('late'),
      async () => {
        await ban();
        await copyStatusToLinks(programId, affiliate.id);
      },
    );
    await connectLink(programId, late.id, now);
    expect(await creditOf(handle, 'late')).toBeUndefined();
  });

  it('race: of two changes that are copied at once the last one stays', async () => {
    const { programId, handle, affiliate, ban } = await setUp();
    await ban();
    await interrupted(
      () => copyStatusToLinks(programId, affiliate.id),
      async () => {
        await updateAffiliate(programId, { affiliateId: affiliate.id, status: 'active' }, undefined, now);
        await copyStatusToLinks(programId, affiliate.id);
      },
    );
    expect([await creditOf(handle, 'one'), await creditOf(handle, 'two')]).toEqual(['One', 'two']);
  });

  it('race: a link that is renamed meanwhile does not come back, and the link that has its text now is unchanged', async () => {
    const { programId, handle, affiliate, one, create, ban } = await setUp();
    await ban();
    const meanwhile = async () => {
      await renameLink(programId, { link: 'one', newLink: 'moved' }, undefined, now);
      await updateAffiliate(programId, { affiliateId: affiliate.id, status: 'active' }, undefined, now);
      await create('one');
    };
    await interrupted(() => copyStatusToLinks(programId, affiliate.id, one.id), meanwhile);
    expect([await creditOf(handle, 'one'), await creditOf(handle, 'moved')]).toEqual(['one', 'moved']);
  });
});

it('race: the page of a link that is being deleted with its affiliate changes nothing', async () => {
  const { programId, handle, one } = await setUp();
  const outcome = await outcomeOf(() =>
    interrupted(
      () => renameLink(programId, { link: 'one', destinationUrl: `${shop}spring` }, undefined, now),
      // Its text goes first.
      () => writeTogether(links.deleteWrites(programId, one).slice(1)),
    ),
  );
  expect(outcome).toEqual({ status: 404 });
  expect(await creditOf(handle, 'one')).toBeUndefined();
});

it('race: the page of a link that is renamed meanwhile changes where the link is now', async () => {
  const { programId, handle } = await setUp();
  const one = await links.find(programId, 'SLUG', 'one');
  await interrupted(
    () => renameLink(programId, { id: one?.id, destinationUrl: `${shop}spring` }, undefined, now),
    () => renameLink(programId, { link: 'one', newLink: 'moved' }, undefined, now),
  );
  expect((await findTarget(handle, 'moved'))?.link?.destinationUrl).toBe(`${shop}spring`);
  expect(await creditOf(handle, 'one')).toBeUndefined();
});
