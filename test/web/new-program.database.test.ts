import { expect, it } from 'vitest';
import { findOrMakeAccount } from '../../shared/domain/programs/accounts.ts';
import { createApiKey } from '../../shared/domain/programs/api-keys.ts';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { acceptInvitation, inviteMember } from '../../shared/domain/programs/members.ts';
import { updateProgram } from '../../shared/domain/programs/update-program.ts';
import { now, storeAffiliate, storeCoupon, storeSale } from '../support/domain.ts';
import { openPages } from '../support/pages.ts';
import { testQueues } from '../support/queues.ts';
import { storeProgram } from '../support/webhooks.ts';

testQueues();

const buttonsOf = (html: string): string[] => {
  const checklist = /<details class="card checklist".*?<\/details>/s.exec(html)?.[0] ?? '';
  return [...checklist.matchAll(/<a class="button[^>]*>([^<]*)</g)].map(([, text]) => text ?? '');
};

it('a new program has a checklist, whose steps go one by one, and then all of it', async () => {
  const program = await storeProgram();
  const path = `/programs/${program.id}`;
  const pages = await openPages(program.ownerEmail);
  const shown = async () => buttonsOf((await pages.visit(path)).text);
  const all = ['Open settings', 'New coupon', 'New affiliate', 'View affiliates', 'Create API key', 'Invite'];
  expect(await shown()).toEqual(all);

  const { name, currency, commissionRate, allowSelfReferral } = program;
  await updateProgram(
    program.id,
    { name, currency, commissionRate, allowSelfReferral, baseUrls: ['https://shop.example/'] },
    now,
  );
  expect(await shown()).toEqual(all.slice(1));
  await storeCoupon(program);
  expect(await shown()).toEqual(all.slice(2));
  const affiliate = await storeAffiliate(program);
  expect(await shown()).toEqual(['Copy link', ...all.slice(4)]);
  expect((await pages.visit(path)).text).toContain(`${path}/affiliates/${affiliate.id}`);
  await createApiKey(program.id, 'Shop', now);
  expect(await shown()).toEqual(['Copy link', 'Invite']);
  await inviteMember(program, { email: 'm@example.com', role: 'VIEWER', invitedBy: program.ownerEmail }, now);
  expect(await shown()).toEqual(['Copy link']);
  await storeSale(program, affiliate.id, { createdAt: new Date().toISOString() });
  expect((await pages.visit(path)).text).not.toContain('Set up your program');
});

it('the token of a connected app is no API key of the checklist', async () => {
  const program = await storeProgram();
  const pages = await openPages(program.ownerEmail);
  const shown = async () => buttonsOf((await pages.visit(`/programs/${program.id}`)).text);
  await connectorToken(program.id, 'zapier.com', now);
  expect(await shown()).toContain('Create API key');
  await createApiKey(program.id, 'Shop', now);
  expect(await shown()).not.toContain('Create API key');
});

it('the checklist of a program with sales is folded, and one without the API leads to the form', async () => {
  const program = await storeProgram('FREE');
  const pages = await openPages(program.ownerEmail);
  const visit = async () => (await pages.visit(`/programs/${program.id}`)).text;
  expect(buttonsOf(await visit())).toContain('Record sale');
  expect(await visit()).toContain('<details class="card checklist" open');
  await storeSale(program, (await storeAffiliate(program)).id);
  expect(await visit()).toMatch(/<details class="card checklist"(?! open)/);
});

it('members see the steps that their role may do', async () => {
  const program = await storeProgram();
  const invite = (email: string, role: 'MANAGER' | 'VIEWER') =>
    inviteMember(program, { email, role, invitedBy: program.ownerEmail }, now);
  await invite('manager@example.net', 'MANAGER');
  await invite('viewer@example.net', 'VIEWER');
  const shownTo = async (email: string) => {
    await findOrMakeAccount(email);
    await acceptInvitation(program.id, email, now);
    return buttonsOf((await (await openPages(email)).visit(`/programs/${program.id}`)).text);
  };
  expect(await shownTo('manager@example.net')).toEqual([
    'New coupon',
    'New affiliate',
    'View affiliates',
    'Create API key',
  ]);
  expect(await shownTo('viewer@example.net')).toEqual([]);
});

it('only the owner of the account reads about plans, in words that say what works', async () => {
  const program = await storeProgram('FREE');
  const email = 'colleague@example.net';
  await inviteMember(program, { email, role: 'OWNER', invitedBy: program.ownerEmail }, now);
  await findOrMakeAccount(email);
  await acceptInvitation(program.id, email, now);
  const owner = await openPages(program.ownerEmail);
  const member = await openPages(email);
  for (const page of ['settings/advanced/api-keys', 'settings/connected-apps', 'webhooks', 'webhooks/new']) {
    const address = `/programs/${program.id}/${page}`;
    expect((await owner.visit(address)).text, page).toContain(
      'You are on the FREE plan. Everything in this dashboard works.',
    );
    const seen = (await member.visit(address)).text;
    expect(seen, page).toContain('switched off in this program');
    expect(seen, page).not.toMatch(/plan\b/i);
  }
});
