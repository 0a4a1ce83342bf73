import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { signedIn } from '../support/browser.ts';
import { enterLinks } from '../support/links.ts';
import { makeAffiliate, makeProgram } from '../support/program.ts';

it('an affiliate gets no more than 100 links, however many forms of the dashboard race', async () => {
  const api = await makeProgram();
  const owner = await signedIn(api.ownerEmail);
  const { id } = await makeAffiliate(api);
  const linksOf = async () => (await api.get(`/affiliates/${id}`)).body.affiliateLinks.length;
  const slugs = Array.from({ length: 95 - (await linksOf()) }, () => randomUUID());
  await enterLinks(api.programId, id, slugs);
  const path = `/programs/${api.programId}/affiliates/${id}/links/new`;
  const racing = await Promise.all(
    Array.from({ length: 12 }, () => owner.submit(path, { link: `race-${randomUUID()}` })),
  );
  expect(racing.map(({ status }) => status).toSorted()).toEqual([...Array(5).fill(303), ...Array(7).fill(400)]);
  expect(await linksOf()).toBe(100);
});
