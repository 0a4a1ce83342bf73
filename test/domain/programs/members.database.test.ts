import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { bounds } from '../../../shared/contract/bounds.ts';
import { requireRecord } from '../../../shared/contract/errors.ts';
import { membershipsOf, membershipWrite } from '../../../shared/domain/programs/accounts.ts';
import {
  acceptInvitation,
  allMembers,
  changeMember,
  declineInvitation,
  inviteMember,
  leaveProgram,
  memberIdOf,
  members,
  programsOfMember,
  removeMember,
  roleIn,
} from '../../../shared/domain/programs/members.ts';
import { programs, type StoredProgram } from '../../../shared/domain/programs/repository.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { newProgram, now, outcomeOf } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';

const newEmail = () => `${randomUUID()}@example.com`;

const begin = () => {
  const program = { id: newProgram().id, ownerEmail: newEmail() };
  const email = newEmail();
  const id = memberIdOf(email);
  const invite = (guest = email) =>
    inviteMember(program, { email: guest, role: 'VIEWER', invitedBy: program.ownerEmail }, now);
  return { program, email, id, invite };
};

it('somebody who is invited in between is invited once', async () => {
  const { program, email, invite } = begin();
  expect(await outcomeOf(() => interrupted(invite, invite))).toMatchObject({ status: 400 });
  expect(await allMembers(program.id)).toMatchObject([{ email, role: 'VIEWER', acceptedAt: null }]);
  expect(await outcomeOf(() => invite(program.ownerEmail))).toMatchObject({ status: 400 });
});

it('the last place, which another one takes in between, is not given twice', async () => {
  const { program, email, id, invite } = begin();
  await invite();
  const first = await members.get(program.id, id);
  if (!first) throw new Error('It was made above');
  const free = Array.from({ length: bounds.membersOfProgram }, (_, slot) => slot).filter((slot) => slot !== first.slot);
  for (const slot of free.slice(1))
    await writeTogether(members.createWrites(program.id, { ...first, id: randomUUID(), email: `${slot}`, slot }));
  const outcome = await outcomeOf(() =>
    interrupted(
      () => invite(newEmail()),
      () => invite(newEmail()),
    ),
  );
  expect(outcome).toMatchObject({ status: 400 });
  expect(await allMembers(program.id)).toHaveLength(bounds.membersOfProgram);
  expect((await membershipsOf(email, { limit: 10 })).items).toEqual([{ programId: program.id, isAccepted: false }]);
});

it('an invitation is accepted with the role that was given in between, and not once it was taken back', async () => {
  const { program, email, id, invite } = begin();
  await invite();
  await interrupted(
    () => acceptInvitation(program.id, email, now),
    () => changeMember(program.id, id, 'MANAGER', now),
  );
  expect(await members.get(program.id, id)).toMatchObject({ role: 'MANAGER', acceptedAt: now.toISOString() });
  expect((await membershipsOf(email, { limit: 10 })).items).toEqual([{ programId: program.id, isAccepted: true }]);
  await removeMember(program.id, id, new Date());
  await invite();
  const outcome = await outcomeOf(() =>
    interrupted(
      () => acceptInvitation(program.id, email, now),
      () => removeMember(program.id, id, new Date()),
    ),
  );
  expect(outcome).toMatchObject({ status: 404 });
  expect(await members.get(program.id, id)).toBeUndefined();
  expect((await membershipsOf(email, { limit: 10 })).items).toEqual([]);
});

it('an invitation is declined, and one that is accepted in between or was before is not', async () => {
  const { program, email, id, invite } = begin();
  const decline = () => declineInvitation(program.id, email, now);
  expect(await outcomeOf(decline)).toMatchObject({ status: 404 });
  await invite();
  await decline();
  expect([await members.get(program.id, id), (await membershipsOf(email, { limit: 10 })).items]).toEqual([
    undefined,
    [],
  ]);
  await invite();
  const accept = () => acceptInvitation(program.id, email, now);
  expect(await outcomeOf(() => interrupted(decline, accept))).toMatchObject({ status: 409 });
  const later = new Date(now.getTime() + 1000);
  await acceptInvitation(program.id, email, later);
  expect(await members.get(program.id, id)).toMatchObject({ acceptedAt: now.toISOString() });
});

it('an invitation gives no role and shows who invites, and nothing of the program', async () => {
  const { program, email, id, invite } = begin();
  await invite();
  const stored: StoredProgram = {
    id: program.id,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
    version: 1,
    name: 'Win a prize at evil.example',
    currency: 'USD',
    commissionRate: 20,
    baseUrls: [],
    allowSelfReferral: false,
    timeZone: 'UTC',
    handle: null,
    attribution: 'LAST_CLICK',
    attributionDays: 60,
    showsCodes: false,
    portalIsOn: true,
    logoUrl: null,
    embeddingOrigins: [],
    applicationForm: null,
    ownerEmail: program.ownerEmail,
    plan: 'BUSINESS',
  };
  await writeTogether(programs.createWrites(program.id, stored));
  const invitation = { programId: program.id, invitedBy: program.ownerEmail, role: 'VIEWER' };
  const seen = () => programsOfMember(email, { limit: 10 });
  expect(await seen()).toEqual({ programs: [], invitations: [invitation], next: undefined });
  expect(roleIn(stored, email, await members.get(program.id, id))).toBeUndefined();
  await acceptInvitation(program.id, email, now);
  expect(await seen()).toEqual({ programs: [stored], invitations: [], next: undefined });
  expect(roleIn(stored, email, await members.get(program.id, id))).toBe('VIEWER');
  await invite(email).catch(() => undefined);
  await writeTogether(members.deleteWrites(program.id, requireRecord(await members.get(program.id, id), 'Member')));
  expect(roleIn(stored, email, undefined)).toBeUndefined();
});

it('a member who is removed twice at once is a 404 for the second, and gets no role in between', async () => {
  const { program, id, invite } = begin();
  await invite();
  const remove = () => removeMember(program.id, id, new Date());
  expect(await outcomeOf(() => interrupted(remove, remove))).toEqual({ status: 404 });
  await invite();
  const change = () => changeMember(program.id, id, 'OWNER', now);
  expect(await outcomeOf(() => interrupted(change, remove))).toEqual({ status: 404 });
  expect(await allMembers(program.id)).toEqual([]);
});

it('a member leaves once, also before accepting, and the owner of the account never', async () => {
  const { program, email, invite } = begin();
  await invite();
  const leave = () => leaveProgram(program, email, new Date());
  expect(await outcomeOf(() => interrupted(leave, leave))).toEqual({ status: 404 });
  expect([await allMembers(program.id), (await membershipsOf(email, { limit: 10 })).items]).toEqual([[], []]);
  expect(await outcomeOf(() => leaveProgram(program, program.ownerEmail, new Date()))).toMatchObject({ status: 409 });
});

it('the programs of a member are all found, page by page, the newest first', async () => {
  const email = newEmail();
  const ids = ['1', '2', '3', '4', '5'];
  await writeTogether(ids.map((id) => membershipWrite(email, id, { isAccepted: true })));
  const found: string[] = [];
  let after: string | undefined;
  do {
    const page = await membershipsOf(email, { limit: 2, after });
    expect(page.items.length).toBeLessThanOrEqual(2);
    found.push(...page.items.map(({ programId }) => programId));
    after = page.next;
  } while (after !== undefined);
  expect(found).toEqual(ids.toReversed());
});

it('members are listed by email, with the role and the moment at which they accepted', async () => {
  const { program, invite } = begin();
  const emails = ['b', 'd', 'a', 'c'].map((letter) => `${letter}-${newEmail()}`);
  for (const email of emails) await invite(email);
  expect((await allMembers(program.id)).map(({ email }) => email)).toEqual(emails.toSorted());
});
