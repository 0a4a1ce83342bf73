import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { bounds } from '../../../shared/contract/bounds.ts';
import { membershipsOf, membershipWrite } from '../../../shared/domain/programs/accounts.ts';
import {
  acceptInvitations,
  allMembers,
  changeMember,
  inviteMember,
  leaveProgram,
  memberIdOf,
  members,
  removeMember,
} from '../../../shared/domain/programs/members.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { newProgram, now, outcomeOf } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { storeAll } from '../../support/sales.ts';

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

it('a sign-in accepts with the role that was given in between, and accepts nothing that was taken back', async () => {
  const { program, email, id, invite } = begin();
  await invite();
  await interrupted(
    () => acceptInvitations(email, now),
    () => changeMember(program.id, id, 'MANAGER', now),
  );
  expect(await members.get(program.id, id)).toMatchObject({ role: 'MANAGER', acceptedAt: now.toISOString() });
  expect((await membershipsOf(email, { limit: 10 })).items).toEqual([{ programId: program.id, isAccepted: true }]);
  await removeMember(program.id, id);
  await invite();
  await interrupted(
    () => acceptInvitations(email, now),
    () => removeMember(program.id, id),
  );
  expect(await members.get(program.id, id)).toBeUndefined();
  expect((await membershipsOf(email, { limit: 10 })).items).toEqual([]);
});

it('a member who is removed twice at once is a 404 for the second, and gets no role in between', async () => {
  const { program, id, invite } = begin();
  await invite();
  const remove = () => removeMember(program.id, id);
  expect(await outcomeOf(() => interrupted(remove, remove))).toEqual({ status: 404 });
  await invite();
  const change = () => changeMember(program.id, id, 'OWNER', now);
  expect(await outcomeOf(() => interrupted(change, remove))).toEqual({ status: 404 });
  expect(await allMembers(program.id)).toEqual([]);
});

it('a member leaves once, also before a first sign-in, and the owner of the account never', async () => {
  const { program, email, invite } = begin();
  await invite();
  const leave = () => leaveProgram(program, email);
  expect(await outcomeOf(() => interrupted(leave, leave))).toEqual({ status: 404 });
  expect([await allMembers(program.id), (await membershipsOf(email, { limit: 10 })).items]).toEqual([[], []]);
  expect(await outcomeOf(() => leaveProgram(program, program.ownerEmail))).toMatchObject({ status: 409 });
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

it('a sign-in accepts 100 invitations, and the next one the others', async () => {
  const email = newEmail();
  const inviter = { id: newProgram().id, ownerEmail: newEmail() };
  await inviteMember(inviter, { email, role: 'VIEWER', invitedBy: email }, now);
  const invited = await members.get(inviter.id, memberIdOf(email));
  if (!invited) throw new Error('It was made above');
  const others = Array.from({ length: 100 }, () => newProgram().id);
  await storeAll(
    others.flatMap((id) => [...members.createWrites(id, invited), membershipWrite(email, id, { isAccepted: false })]),
  );
  const open = async () =>
    (await membershipsOf(email, { limit: 200 })).items.filter(({ isAccepted }) => !isAccepted).length;
  const counts = [await open()];
  for (let signIn = 0; signIn < 2; signIn++) {
    await acceptInvitations(email, now);
    counts.push(await open());
  }
  expect(counts).toEqual([101, 1, 0]);
});

it('members are listed by email, with the role and the moment of their first sign-in', async () => {
  const { program, invite } = begin();
  const emails = ['b', 'd', 'a', 'c'].map((letter) => `${letter}-${newEmail()}`);
  for (const email of emails) await invite(email);
  expect((await allMembers(program.id)).map(({ email }) => email)).toEqual(emails.toSorted());
});
