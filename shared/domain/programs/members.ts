import * as z from 'zod';
import { bounds } from '../../contract/bounds.ts';
import { ApiError, fieldError, requireRecord } from '../../contract/errors.ts';
import { type Role, roles } from '../../contract/roles.ts';
import { derivedId } from '../../platform/table/derived-id.ts';
import { deleteRecord, editRecord, retryOnConflict } from '../../platform/table/edit.ts';
import { storedFields } from '../../platform/table/keys.ts';
import type { PageRequest } from '../../platform/table/page.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import { slotOf, withFreeSlot } from '../../platform/table/slots.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { deleteMembershipWrite, membershipsOf, membershipWrite } from './accounts.ts';
import { programs, type StoredProgram } from './repository.ts';

/** See docs/behavior.md#members */

export const StoredMember = z.object({
  ...storedFields,
  email: z.string(),
  role: z.enum(roles),
  invitedBy: z.string(),
  /** Null until the invited person accepts. */
  acceptedAt: z.string().nullable(),
  /** The slot that bounds the number of members. */
  slot: z.number(),
});
export type StoredMember = z.infer<typeof StoredMember>;

export const members = recordStore({
  table: 'records',
  kind: 'MEMBER',
  keepsActor: true,
  schema: StoredMember,
  uniques: { SLOT: ({ slot }) => slotOf(slot) },
});

/** A person's id follows from the email, so that one read tells the role. */
export const memberIdOf = (email: string): string => derivedId(new Date(0), 'MEMBER', email);

const slots = {
  count: bounds.membersOfProgram,
  whenFull: () =>
    new ApiError('bad_request', `A program has at most ${bounds.membersOfProgram} members. Remove one first.`),
};

/** By email. */
export const allMembers = async (programId: string): Promise<StoredMember[]> => {
  const page = await members.page(programId, { limit: bounds.membersOfProgram });
  return page.items.toSorted((one, other) => (one.email < other.email ? -1 : 1));
};

/** 400 if the email is a member's already, or the program has all it may have. */
export const inviteMember = (
  program: Pick<StoredProgram, 'id' | 'ownerEmail'>,
  { email, role, invitedBy }: { email: string; role: Role; invitedBy: string },
  now: Date,
): Promise<void> =>
  retryOnConflict(() =>
    withFreeSlot(members, program.id, slots, async (slot) => {
      const id = memberIdOf(email);
      if (email === program.ownerEmail || (await members.get(program.id, id)))
        throw fieldError('email', 'email is already a member');
      const at = now.toISOString();
      const times = { createdAt: at, updatedAt: at, version: 1, acceptedAt: null };
      await writeTogether([
        ...members.createWrites(program.id, { ...times, id, email, role, invitedBy, slot }),
        membershipWrite(email, program.id, { isAccepted: false }),
      ]);
    }),
  );

/** Takes effect on the next request. 404. */
export const changeMember = async (programId: string, id: string, role: Role, now: Date): Promise<void> => {
  await editRecord(members, { programId, noun: 'Member', id }, (member) => ({
    after: { ...member, role, updatedAt: now.toISOString() },
  }));
};

/** Takes effect on the next request. 404. */
export const removeMember = async (programId: string, id: string, now: Date): Promise<void> => {
  await deleteRecord(members, { programId, noun: 'Member', id }, ({ email }) => [
    deleteMembershipWrite(email, programId),
    members.revocationWrite(programId, id, now),
  ]);
};

/** Undefined for who is no member, or has not accepted the invitation. */
export const roleIn = (program: StoredProgram, email: string, member: StoredMember | undefined): Role | undefined => {
  if (program.ownerEmail === email) return 'OWNER';
  return member?.acceptedAt == null ? undefined : member.role;
};

/** The owner of the account cannot leave: 409. Takes effect on the next request. */
export const leaveProgram = async (
  program: Pick<StoredProgram, 'id' | 'ownerEmail'>,
  email: string,
  now: Date,
): Promise<void> => {
  if (program.ownerEmail === email) throw new ApiError('conflict', 'The owner of a program cannot leave it.');
  await removeMember(program.id, memberIdOf(email), now);
};

/** What is shown of a program to somebody who has not accepted yet. */
export type Invitation = Pick<StoredMember, 'invitedBy' | 'role'> & { programId: string };

const invitationTo = async (programId: string, email: string): Promise<Invitation | undefined> => {
  const member = await members.get(programId, memberIdOf(email));
  return member && { programId, invitedBy: member.invitedBy, role: member.role };
};

/** Newest program first, without deleted ones. */
export const programsOfMember = async (
  email: string,
  request: Pick<PageRequest, 'limit' | 'after'>,
): Promise<{ programs: StoredProgram[]; invitations: Invitation[]; next: string | undefined }> => {
  const { items, next } = await membershipsOf(email, request);
  const [accepted, open] = [true, false].map((isAccepted) =>
    items.filter((one) => one.isAccepted === isAccepted).map(({ programId }) => programId),
  );
  const [found, invitations] = await Promise.all([
    Promise.all((accepted ?? []).map((id) => programs.get(id, id))),
    Promise.all((open ?? []).map((id) => invitationTo(id, email))),
  ]);
  return {
    programs: found.filter((one) => one !== undefined),
    invitations: invitations.filter((one) => one !== undefined),
    next,
  };
};

/** Takes effect on the next request; 404 if there is no invitation. */
export const acceptInvitation = (programId: string, email: string, now: Date): Promise<void> =>
  retryOnConflict(async () => {
    const member = requireRecord(await members.get(programId, memberIdOf(email)), 'Invitation');
    if (member.acceptedAt !== null) return;
    const at = now.toISOString();
    await writeTogether([
      ...members.updateWrites(programId, member, { ...member, acceptedAt: at, updatedAt: at }),
      membershipWrite(email, programId, { isAccepted: true }),
    ]);
  });

/** 404 if there is no invitation; 409 if it was accepted. */
export const declineInvitation = async (programId: string, email: string, now: Date): Promise<void> => {
  await deleteRecord(members, { programId, noun: 'Invitation', id: memberIdOf(email) }, ({ acceptedAt }) => {
    if (acceptedAt !== null)
      throw new ApiError('conflict', 'You have accepted this invitation. Leave the program instead.');
    return [deleteMembershipWrite(email, programId), members.revocationWrite(programId, memberIdOf(email), now)];
  });
};
