import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { roleOf } from '../../shared/contract/page.ts';
import { pages } from '../../shared/contract/pages/pages.ts';
import { includesRole, type Role } from '../../shared/contract/roles.ts';
import { membershipWrite } from '../../shared/domain/programs/accounts.ts';
import { acceptInvitation, changeMember, inviteMember, memberIdOf } from '../../shared/domain/programs/members.ts';
import { deleteProgram, setPlan } from '../../shared/domain/programs/programs.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { recordsInPart } from '../../shared/web/lists/list-part.ts';
import { type Browser, freshEmail, signedIn } from '../support/browser.ts';
import { addressIn, nextMailTo } from '../support/mails.ts';
import { makeProgram } from '../support/program.ts';
import { documents, requestOf } from './every-page.ts';
import { stateOf } from './state-of.ts';
import { makeWebWorld, type WebWorld } from './web-world.ts';

let world: WebWorld;
let email: string;
let member: Browser;
beforeAll(async () => {
  world = await makeWebWorld('Shop');
  email = freshEmail();
  await invite({ programId: world.programId, ownerEmail: world.email }, email, 'VIEWER');
  member = await signedIn(email);
});

/** Invites somebody, who accepts. */
const invite = async (to: { programId: string; ownerEmail: string }, invited: string, role: Role) => {
  const program = { id: to.programId, ownerEmail: to.ownerEmail };
  await inviteMember(program, { email: invited, role, invitedBy: to.ownerEmail }, new Date());
  await acceptInvitation(program.id, invited, new Date());
};
const setRole = (role: Role) => changeMember(world.programId, memberIdOf(email), role, new Date());

const ofProgram = pages.filter(({ path }) => path.includes('{programId}'));
const neededBy = (page: (typeof pages)[number]): Role =>
  roleOf(
    page,
    pages.filter(({ path }) => path === page.path),
  );
const ask = async (page: (typeof pages)[number]) => {
  const { address, form } = requestOf(page, world);
  return page.method === 'GET' ? member.visit(address) : member.submit(address, form);
};

describe('a viewer', () => {
  beforeEach(() => setRole('VIEWER'));

  /** Of the pages that viewers may not open. `/affiliates/new` is one of them, so it is no id of an affiliate. */
  const forbiddenPaths = new RegExp(
    `^(?:${ofProgram
      .filter((page) => page.method === 'GET' && !includesRole('VIEWER', neededBy(page)))
      .map(({ path }) => path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+'))
      .join('|')})$`,
  );

  it('sees every page that only shows something, without a form or a button that leads to one', async () => {
    const shown = documents.filter((page) => page.path.includes('{programId}') && neededBy(page) === 'VIEWER');
    expect(shown.length).toBeGreaterThan(15);
    expect(shown.map(({ id }) => id)).toContain('showPromotionalCodes');
    for (const page of shown) {
      const { status, text } = await ask(page);
      expect([page.id, status]).toEqual([page.id, 200]);
      const targets = [...text.matchAll(/<form[^>]*method="post"[^>]*action="([^"]+)"/g)].map(([, target]) => target);
      const own = targets.filter((target) => target === requestOf(page, world).address);
      expect([page.id, ...targets]).toEqual([page.id, '/sign-out', ...own]);
      expect(own.length).toBe(['confirmLeaving', 'showSalePreview'].includes(page.id) ? 1 : 0);
      const forbidden = [...text.matchAll(/href="([^"?#]+)/g)].filter(([, to = '']) => forbiddenPaths.test(to));
      expect([page.id, ...forbidden.map(([, to]) => to)]).toEqual([page.id]);
      // What only shows something has its button.
      if (page.id === 'showAffiliate') expect(text).toContain('/statement"');
    }
  });

  it('is refused everything else by the page, with a sentence, and changes nothing', async () => {
    const before = await stateOf(world);
    for (const page of ofProgram.filter((one) => !includesRole('VIEWER', neededBy(one)))) {
      const { status, text } = await ask(page);
      expect([page.id, status]).toEqual([page.id, 403]);
      expect(text).toContain('<h1>Not allowed</h1><');
      expect(text).toContain('Your role in this program does not include this');
    }
    expect(await stateOf(world)).toEqual(before);
    const changing = ofProgram.filter(({ method }) => method === 'POST');
    // They can leave, and ask what a sale would earn, which changes nothing.
    const theirs = changing.filter((page) => neededBy(page) === 'VIEWER').map(({ id }) => id);
    expect(theirs).toEqual(['previewSale', 'leaveProgram']);
  });
});

it('a manager works with records, webhooks and keys; members and settings are for owners', async () => {
  await setRole('MANAGER');
  for (const page of ofProgram.filter((one) => neededBy(one) === 'OWNER'))
    expect([page.id, (await ask(page)).status]).toEqual([page.id, 403]);
  for (const id of ['addSale', 'addApiKey', 'showApiKeys', 'showApiKey', 'showWebhookSecret', 'showNewWebhook']) {
    const page = ofProgram.find((one) => one.id === id);
    if (!page) throw new Error(`There is no page ${id}`);
    // The plan is that of the program: the member's own account is on the FREE plan.
    expect([id, (await ask(page)).status]).toEqual([id, page.method === 'GET' ? 200 : 303]);
  }
  const { text } = await member.visit(`/programs/${world.programId}`);
  expect(text).toContain('>API keys<');
  expect(text).not.toContain('/settings/members"');
  await setRole('OWNER');
  expect((await member.visit(`/programs/${world.programId}/settings/members`)).status).toBe(200);
});

describe('what a member could read', () => {
  const settings = () => `/programs/${world.programId}/settings`;
  const keyPath = () => `${settings()}/advanced/api-keys/${world.ids.keyId}`;
  const secretPath = () => `/programs/${world.programId}/webhooks/${world.ids.webhookId}/secret`;
  const namesAll = (text: string) => {
    for (const path of [keyPath(), secretPath().replace('/secret', '')]) expect(text).toContain(`href="${path}"`);
  };

  it('is named when a manager is removed or made a viewer, with who has seen it, and leaves the list once replaced', async () => {
    const guest = freshEmail();
    await invite({ programId: world.programId, ownerEmail: world.email }, guest, 'MANAGER');
    const browser = await signedIn(guest);
    for (const path of [keyPath(), keyPath(), secretPath()])
      expect((await browser.visit(path)).text.split(guest).length).toBeGreaterThan(1);
    const one = `${settings()}/members/${memberIdOf(guest)}`;
    const asked = (await world.browser.visit(`${one}/remove`)).text;
    namesAll(asked);
    // Two of them were seen; the program's first key was not.
    expect(asked.match(/They saw it"[^>]*><time/g)).toHaveLength(2);
    expect(asked).toContain('Not recorded');
    namesAll((await world.browser.visit(one)).text);
    const demoted = await world.browser.submit(one, { role: 'VIEWER' });
    expect(demoted.location?.pathname).toBe(`${settings()}/members/secrets`);
    namesAll((await world.browser.visit(demoted.location ?? '')).text);
    // A viewer could read nothing since, but has seen two with the earlier role.
    const removed = await world.browser.submit(`${one}/remove`);
    expect(removed.location?.pathname).toBe(`${settings()}/members/secrets`);
    const list = async () => (await world.browser.visit(removed.location ?? '')).text;
    namesAll(await list());
    expect(await list()).not.toContain('First key');

    const replaced = await world.browser.submit(`${keyPath()}/replace`);
    expect(replaced.status).toBe(303);
    const { text } = await world.browser.visit(replaced.location ?? '');
    expect(text).toContain(`href="${keyPath()}/delete"`);
    expect(text).toContain('Seen by');
    expect(/id="apiKey"[^>]*>([^<]+)</.exec(text)?.[1]).toMatch(/^[0-9a-f-]{36}$/);
    await world.browser.submit(`${keyPath()}/delete`);
    await world.browser.submit(secretPath().replace('/secret', '/rotate-secret'), { previousSecretUntil: '' });
    expect(await list()).toContain('Everything is replaced');
    expect((await world.browser.visit(`${settings()}/members/secrets`)).text).toContain('First key');
  });

  it('is nothing for who was a viewer only', async () => {
    const guest = freshEmail();
    await invite({ programId: world.programId, ownerEmail: world.email }, guest, 'VIEWER');
    const one = `${settings()}/members/${memberIdOf(guest)}`;
    expect((await world.browser.visit(`${one}/remove`)).text).not.toContain('What they could read');
    expect((await world.browser.submit(`${one}/remove`)).location?.pathname).toBe(`${settings()}/members`);
  });
});

describe('members', () => {
  const path = () => `/programs/${world.programId}/settings/members`;

  it('are invited by email, see who invites, accept, are given another role, and are removed at once', async () => {
    const guest = freshEmail();
    const invited = await world.browser.submit(path(), { email: guest.toUpperCase(), role: 'VIEWER' });
    expect([invited.status, invited.location?.pathname]).toEqual([303, path()]);
    const row = async () =>
      (await world.browser.visit(path())).text.split('<tr>').find((one) => one.includes(guest)) ?? '';
    const program = `/programs/${world.programId}`;
    const browser = await signedIn(guest);
    const { text: invitation } = await browser.visit('/programs');
    for (const text of [world.email, 'as viewer', 'Accept']) expect(invitation).toContain(text);
    // Nothing of the program is shown to who has not accepted, not even that it exists.
    for (const text of ['Shop', 'Owned by']) expect(invitation).not.toContain(text);
    for (const path of [program, `${program}/settings/leave`])
      expect([path, (await browser.visit(path)).status]).toEqual([path, 404]);
    expect(await row()).toContain('Has not accepted yet');
    const accepted = await browser.submit(`/invitations/${world.programId}`, { decision: 'accept' });
    expect([accepted.status, accepted.location?.pathname]).toEqual([303, program]);
    expect((await browser.visit('/programs')).text).toContain(`Owned by ${world.email}`);
    expect(await row()).toMatch(/Viewer.*<time/);
    const one = `${path()}/${memberIdOf(guest)}`;
    expect((await browser.visit(`${program}/sales/new`)).status).toBe(403);
    expect((await world.browser.visit(one)).text).toMatch(/value="VIEWER" selected|selected value="VIEWER"/);
    await world.browser.submit(one, { role: 'MANAGER' });
    expect((await browser.visit(`${program}/sales/new`)).status).toBe(200);
    expect((await world.browser.visit(`${one}/remove`)).text).toContain(`Remove ${guest}?`);
    expect((await browser.visit(program)).status).toBe(200);
    await world.browser.submit(`${one}/remove`);
    expect((await browser.visit(program)).status).toBe(404);
    expect((await browser.visit('/programs')).text).not.toContain(world.email);
    expect((await world.browser.submit(`${one}/remove`)).status).toBe(404);
  });

  it('are told of their invitation by a mail that names who invites and the role, shows nothing of the program, and leads to it', async () => {
    const guest = freshEmail();
    const { location } = await world.browser.submit(path(), { email: guest, role: 'VIEWER' });
    expect((await world.browser.visit(location ?? '')).text).toContain('gets a mail with the invitation');
    const mail = await nextMailTo(guest);
    const from = 'Affiliate programs <programs@local.example>';
    expect(mail).toMatchObject({ from, subject: 'You are invited to an affiliate program' });
    expect(JSON.stringify(mail)).not.toContain('Shop');
    for (const part of [world.email, 'Viewer', guest]) expect(mail.text).toContain(part);
    const browser = await signedIn(guest);
    expect((await browser.visit(addressIn(mail, '/programs'))).text).toContain('as viewer');
    // Whoever was removed may be invited again, and hears of it.
    await browser.submit(`/invitations/${world.programId}`, { decision: 'decline' });
    await world.browser.submit(path(), { email: guest, role: 'MANAGER' });
    expect((await nextMailTo(guest, 2)).text).toContain('Manager');
  });

  it('who cannot be mailed are marked in the list', async () => {
    const guest = `bounce+${randomUUID()}@simulator.amazonses.com`;
    await world.browser.submit(path(), { email: guest, role: 'VIEWER' });
    await expect
      .poll(async () => (await world.browser.visit(path())).text.split('<tr>').find((row) => row.includes(guest)))
      .toContain('Mails do not reach this address');
    expect((await world.browser.visit(path())).text.match(/Mails do not reach this address/g)).toHaveLength(1);
  });

  it('leave a program that they were invited to, once they were asked; its owner cannot', async () => {
    const guest = freshEmail();
    await world.browser.submit(path(), { email: guest, role: 'VIEWER' });
    const browser = await signedIn(guest);
    await browser.submit(`/invitations/${world.programId}`, { decision: 'accept' });
    const leaving = `/programs/${world.programId}/settings/leave`;
    expect((await browser.visit('/programs')).text).toContain(`href="${leaving}"`);
    const asked = await browser.visit(leaving);
    expect([asked.status, asked.text.includes('<h1>Leave Shop?</h1>')]).toEqual([200, true]);
    const left = await browser.submit(leaving);
    expect([left.status, left.location?.pathname]).toEqual([303, '/programs']);
    const { text } = await browser.visit(left.location ?? '');
    expect([text.includes('You left the program.'), text.includes(world.email)]).toEqual([true, false]);
    expect((await browser.visit(leaving)).status).toBe(404);
    expect((await world.browser.visit(path())).text).not.toContain(guest);
    expect((await world.browser.visit('/programs')).text).not.toContain(leaving);
    expect((await world.browser.visit(leaving)).text).toContain('You own this program, so you cannot leave it.');
    expect((await world.browser.submit(leaving)).status).toBe(409);
  });

  it('decline an invitation, and nobody responds to that of another person', async () => {
    const guest = freshEmail();
    await world.browser.submit(path(), { email: guest, role: 'VIEWER' });
    const browser = await signedIn(guest);
    const invitation = `/invitations/${world.programId}`;
    expect((await (await signedIn()).submit(invitation, { decision: 'accept' })).status).toBe(404);
    expect((await browser.submit(invitation, { decision: 'maybe' })).status).toBe(400);
    expect((await browser.submit(invitation, { decision: 'decline' })).location?.pathname).toBe('/programs');
    expect((await browser.visit('/programs')).text).not.toContain(world.email);
    expect((await browser.submit(invitation, { decision: 'accept' })).status).toBe(404);
    expect((await world.browser.visit(path())).text).not.toContain(guest);
  });

  it('find a program also behind a page of other invitations', async () => {
    const guest = freshEmail();
    await world.browser.submit(path(), { email: guest, role: 'VIEWER' });
    const others = Array.from({ length: recordsInPart }, () =>
      membershipWrite(guest, newRecordId(new Date()), { isAccepted: false }),
    );
    await writeTogether(others);
    const browser = await signedIn(guest);
    const { text } = await browser.visit('/programs');
    expect(text).not.toContain(world.email);
    const next = /<a href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect((await browser.visit(next)).text).toContain(`Invitation from ${world.email}`);
    expect((await member.visit(next)).status).toBe(400);
  });

  it.each(['nobody', '', 'member', 'owner'])('with the email %j are refused beside the field', async (given) => {
    const entered = given === 'member' ? email : given === 'owner' ? world.email : given;
    const { status, text } = await world.browser.submit(path(), { email: entered, role: 'VIEWER' });
    expect(status).toBe(400);
    expect(text).toContain('id="email-error"');
    if (given) expect(text).toContain(`value="${entered}"`);
    const changed = await world.browser.submit(`${path()}/${memberIdOf(email)}`, { role: 'KING' });
    expect([changed.status, changed.text.includes('id="role-error"')]).toEqual([400, true]);
  });

  it('cannot add webhooks on the owner’s FREE plan, and cannot open a deleted program', async () => {
    const program = await makeProgram();
    const guest = freshEmail();
    await invite(program, guest, 'OWNER');
    const browser = await signedIn(guest);
    const path = `/programs/${program.programId}`;
    expect((await browser.visit(`${path}/webhooks/new`)).status).toBe(200);
    await setPlan(program.ownerEmail, 'FREE');
    expect((await browser.visit(`${path}/webhooks/new`)).status).toBe(403);
    await deleteProgram(program.programId);
    expect((await browser.visit(path)).status).toBe(404);
    expect((await browser.visit('/programs')).text).not.toContain(program.ownerEmail);
  });
});
