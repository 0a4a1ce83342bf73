import * as z from 'zod';
import { bounds } from '../../contract/bounds.ts';
import { ApiError, fieldError } from '../../contract/errors.ts';
import { type Role, roles } from '../../contract/roles.ts';
import { derivedId } from '../../platform/table/derived-id.ts';
import { deleteRecord, editRecord, retryOnConflict } from '../../platform/table/edit.ts';
import { storedFields } from '../../platform/table/keys.ts';
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
  /** The first sign-in after the invitation; null until then. */
  acceptedAt: z.string().nullable(),
  /** The slot that bounds the number of members. */
  slot: z.number(),
});
export type StoredMember = z.infer<typeof StoredMember>;

export const members = recordStore({
  table: 'records',
  kind: 'MEMBER',
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
        throw fieldError('email', 'email is a member already');
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
export const removeMember = async (programId: string, id: string): Promise<void> => {
  await deleteRecord(members, { programId, noun: 'Member', id }, ({ email }) => [
    deleteMembershipWrite(email, programId),
  ]);
};

/** Undefined for who is no member. */
export const roleIn = (program: StoredProgram, email: string, member: StoredMember | undefined): Role | undefined =>
  program.ownerEmail === email ? 'OWNER' : member?.role;

/** Without those that are gone. */
export const programsOfMember = async (email: string): Promise<StoredProgram[]> => {
  const found = await Promise.all((await membershipsOf(email)).map(({ programId: id }) => programs.get(id, id)));
  return found.flatMap((program) => program ?? []);
};

/** At a sign-in, which has shown that the email is theirs. */
export const acceptInvitations = async (email: string, now: Date): Promise<void> => {
  const invitations = (await membershipsOf(email)).filter(({ isAccepted }) => !isAccepted);
  await Promise.all(
    invitations.map(({ programId }) =>
      retryOnConflict(async () => {
        const member = await members.get(programId, memberIdOf(email));
        if (!member) return;
        await writeTogether([
          ...members.updateWrites(programId, member, { ...member, acceptedAt: now.toISOString() }),
          membershipWrite(email, programId, { isAccepted: true }),
        ]);
      }),
    ),
  );
};
