import * as z from 'zod';
import { bounds } from '../../contract/bounds.ts';
import { ApiError, fieldError } from '../../contract/errors.ts';
import { type Role, roles } from '../../contract/roles.ts';
import { derivedId } from '../../platform/table/derived-id.ts';
import { deleteRecord, editRecord, retryOnConflict } from '../../platform/table/edit.ts';
import { storedFields } from '../../platform/table/keys.ts';
import { Page, type PageRequest } from '../../platform/table/page.ts';
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
export const removeMember = async (programId: string, id: string): Promise<void> => {
  await deleteRecord(members, { programId, noun: 'Member', id }, ({ email }) => [
    deleteMembershipWrite(email, programId),
  ]);
};

/** Undefined for who is no member. */
export const roleIn = (program: StoredProgram, email: string, member: StoredMember | undefined): Role | undefined =>
  program.ownerEmail === email ? 'OWNER' : member?.role;

/** Also declines an invitation. The owner of the account cannot leave: 409. Takes effect on the next request. */
export const leaveProgram = async (program: Pick<StoredProgram, 'id' | 'ownerEmail'>, email: string): Promise<void> => {
  if (program.ownerEmail === email) throw new ApiError('conflict', 'The owner of a program cannot leave it.');
  await removeMember(program.id, memberIdOf(email));
};

/** Newest program first, without deleted ones. */
export const programsOfMember = async (
  email: string,
  request: Pick<PageRequest, 'limit' | 'after'>,
): Promise<Page<StoredProgram>> => {
  const memberships = await membershipsOf(email, request);
  const found = await memberships.mapAwaiting(({ programId: id }) => programs.get(id, id));
  return new Page(
    found.entries.flatMap(({ item, position }) => (item ? [{ item, position }] : [])),
    found.next,
  );
};

/** The next sign-in accepts more. */
const maxAcceptedAtOnce = 100;
const maxMembershipsExamined = 1000;

/** At a sign-in, which has shown that the email is theirs. */
export const acceptInvitations = async (email: string, now: Date): Promise<void> => {
  const { items } = await membershipsOf(email, { limit: maxMembershipsExamined });
  const invitations = items.filter(({ isAccepted }) => !isAccepted);
  await Promise.all(
    invitations.slice(0, maxAcceptedAtOnce).map(({ programId }) =>
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
