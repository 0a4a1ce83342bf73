import { requireRecord } from '../contract/errors.ts';
import type { memberPages } from '../contract/pages/members.ts';
import {
  allMembers,
  changeMember,
  inviteMember,
  leaveProgram,
  members,
  removeMember,
  type StoredMember,
} from '../domain/programs/members.ts';
import { unfilled } from './controls.tsx';
import { withFlash } from './flash.ts';
import type { PageHandlersOf } from './handlers.ts';
import { leavingView, memberRemovalView, membersPath, membersView, memberView } from './pages/members.tsx';
import { redirect } from './responses.ts';

const readMember = async (programId: string, memberId: string): Promise<StoredMember> =>
  requireRecord(await members.get(programId, memberId), 'Member');

export const memberHandlers: PageHandlersOf<typeof memberPages> = {
  showMembers: async ({ session, program }) =>
    membersView({ session, program }, await allMembers(program.id), unfilled),

  inviteMember: {
    submit: async ({ session, program, form, now }) => {
      await inviteMember(program, { ...form, invitedBy: session.email }, now);
      return redirect(withFlash(membersPath(program.id), 'member-invited'));
    },
    showAgain: async ({ session, program }, filled) =>
      membersView({ session, program }, await allMembers(program.id), filled),
  },

  showMember: async ({ session, program, parameters }) =>
    memberView({ session, program }, await readMember(program.id, parameters.memberId), unfilled),

  changeMember: {
    submit: async ({ program, parameters, form, now }) => {
      await changeMember(program.id, parameters.memberId, form.role, now);
      return redirect(withFlash(membersPath(program.id), 'saved'));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      memberView({ session, program }, await readMember(program.id, parameters.memberId), filled),
  },

  confirmMemberRemoval: async ({ session, program, parameters }) =>
    memberRemovalView({ session, program }, await readMember(program.id, parameters.memberId)),

  confirmLeaving: ({ session, program }) => leavingView({ session, program }),

  leaveProgram: async ({ session, program }) => {
    await leaveProgram(program, session.email);
    return redirect(withFlash('/programs', 'program-left'));
  },

  removeMember: async ({ program, parameters }) => {
    await removeMember(program.id, parameters.memberId);
    return redirect(withFlash(membersPath(program.id), 'member-removed'));
  },
};
