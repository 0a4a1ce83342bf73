import { ApiError, requireRecord } from '../../contract/errors.ts';
import { uuid } from '../../contract/fields.ts';
import type { memberPages } from '../../contract/pages/members.ts';
import type { Role } from '../../contract/roles.ts';
import {
  acceptInvitation,
  allMembers,
  changeMember,
  declineInvitation,
  inviteMember,
  leaveProgram,
  members,
  removeMember,
  type StoredMember,
} from '../../domain/programs/members.ts';
import { suppressionsOf } from '../../platform/mail/addresses.ts';
import { sendMail } from '../../platform/mail/send-mail.ts';
import { unfilled } from '../components/controls.tsx';
import { withFlash } from '../components/flash.ts';
import type { PageHandlersOf } from '../handlers.ts';
import { leavingView, memberRemovalView, membersPath, membersView, memberView } from '../pages/members.tsx';
import { ReadableSecrets, replaceSecretsView } from '../pages/shared-secrets.tsx';
import { redirect } from '../responses.ts';
import { addressOf } from '../session/app-url.ts';
import { secretsReadBy, sharedSecrets } from './shared-secrets.ts';

const readMember = async (programId: string, memberId: string): Promise<StoredMember> =>
  requireRecord(await members.get(programId, memberId), 'Member');

const memberWithSecrets = async (programId: string, memberId: string) => {
  const member = await readMember(programId, memberId);
  const secrets = await secretsReadBy(programId, member);
  return { member, secrets: ReadableSecrets({ programId, member, secrets }) };
};

/** What to replace once somebody lost access; the members if there is nothing. */
const pathAfterLoss = async (programId: string, { id, role }: StoredMember, now: Date): Promise<string> => {
  const { keys, endpoints } = await secretsReadBy(programId, { id, role });
  if (keys.length + endpoints.length === 0) return membersPath(programId);
  return `${membersPath(programId)}/secrets?${new URLSearchParams({ member: id, role, since: now.toISOString() })}`;
};

/** False where the stage sends no mails. */
const mailInvitation = (
  programId: string,
  { email, role, invitedBy }: { email: string; role: Role; invitedBy: string },
  now: Date,
): Promise<boolean> => {
  const data = { invitedBy, role, url: addressOf('/programs').href };
  // Whoever was removed may be invited again.
  const occasion = now.toISOString();
  return sendMail({ programId, kind: 'MEMBER_INVITATION', to: email, data, occasion }, now);
};

/** With the addresses among them that get no mails. */
const readMembers = async (programId: string) => {
  const found = await allMembers(programId);
  return { members: found, suppressions: await suppressionsOf(found.map(({ email }) => email)) };
};

export const memberHandlers: PageHandlersOf<typeof memberPages> = {
  showMembers: async ({ session, program }) =>
    membersView({ session, program }, await readMembers(program.id), unfilled),

  inviteMember: {
    submit: async ({ session, program, form, now }) => {
      const invitedBy = session.email;
      await inviteMember(program, { ...form, invitedBy }, now);
      const isMailed = await mailInvitation(program.id, { ...form, invitedBy }, now);
      return redirect(withFlash(membersPath(program.id), isMailed ? 'member-invited-by-mail' : 'member-invited'));
    },
    showAgain: async ({ session, program }, filled) =>
      membersView({ session, program }, await readMembers(program.id), filled),
  },

  showMember: async ({ session, program, parameters }) =>
    memberView({ session, program }, await memberWithSecrets(program.id, parameters.memberId), unfilled),

  changeMember: {
    submit: async ({ program, parameters: { memberId }, form, now }) => {
      const before = await readMember(program.id, memberId);
      await changeMember(program.id, memberId, form.role, now);
      const isDemoted = before.role !== 'VIEWER' && form.role === 'VIEWER';
      return redirect(
        withFlash(isDemoted ? await pathAfterLoss(program.id, before, now) : membersPath(program.id), 'saved'),
      );
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      memberView({ session, program }, await memberWithSecrets(program.id, parameters.memberId), filled),
  },

  confirmMemberRemoval: async ({ session, program, parameters }) =>
    memberRemovalView({ session, program }, await memberWithSecrets(program.id, parameters.memberId)),

  confirmLeaving: ({ session, program }) => leavingView({ session, program }),

  leaveProgram: async ({ session, program, now }) => {
    await leaveProgram(program, session.email, now);
    return redirect(withFlash('/programs', 'program-left'));
  },

  respondToInvitation: async ({ session, parameters: { invitationId }, form, now }) => {
    if (!uuid.safeParse(invitationId).success) throw new ApiError('not_found', 'This invitation no longer exists.');
    if (form.decision === 'accept') {
      await acceptInvitation(invitationId, session.email, now);
      return redirect(withFlash(`/programs/${invitationId}`, 'invitation-accepted'));
    }
    await declineInvitation(invitationId, session.email, now);
    return redirect(withFlash('/programs', 'invitation-declined'));
  },

  removeMember: async ({ program, parameters: { memberId }, now }) => {
    const before = await readMember(program.id, memberId);
    await removeMember(program.id, memberId, now);
    return redirect(withFlash(await pathAfterLoss(program.id, before, now), 'member-removed'));
  },

  showSharedSecrets: async ({ session, program, query: { member, role = 'OWNER', since } }) => {
    const secrets = member
      ? await secretsReadBy(program.id, { id: member, role }, since)
      : await sharedSecrets(program.id, since);
    return replaceSecretsView(session, program, secrets, member);
  },
};
