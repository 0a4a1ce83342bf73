import * as z from 'zod';
import { email, uuid } from '../fields.ts';
import { webPage } from '../page.ts';
import { roles } from '../roles.ts';
import { filter } from './list-query.ts';
import { noFields } from './operation-form.ts';

const area = { function: 'web-programs', auth: 'session', role: 'OWNER' } as const;
const path = '/programs/{programId}/settings/members';
const pathOfOne = `${path}/{memberId}` as const;

/** To name what a member could read. */
const needsOfSecrets = ['API_KEY:list', 'WEBHOOK:list'] as const;

const showMembers = webPage({
  ...area,
  id: 'showMembers',
  method: 'GET',
  path,
  needs: ['MEMBER:list', 'mail-addresses:read'],
});

const inviteMember = webPage({
  ...area,
  id: 'inviteMember',
  creates: true,
  method: 'POST',
  path,
  form: z.strictObject({ email, role: z.enum(roles) }),
  needs: ['MEMBER:read', 'MEMBER:list', 'MEMBER:create', 'accounts:create', 'mail-addresses:read', 'mails:send'],
});

const showMember = webPage({
  ...area,
  id: 'showMember',
  method: 'GET',
  path: pathOfOne,
  needs: ['MEMBER:read', ...needsOfSecrets],
});

const changeMember = webPage({
  ...area,
  id: 'changeMember',
  method: 'POST',
  path: pathOfOne,
  form: z.strictObject({ role: z.enum(roles) }),
  needs: ['MEMBER:read', 'MEMBER:change', ...needsOfSecrets],
});

const confirmMemberRemoval = webPage({
  ...area,
  id: 'confirmMemberRemoval',
  method: 'GET',
  path: `${pathOfOne}/remove`,
  needs: ['MEMBER:read', ...needsOfSecrets],
});

const removeMember = webPage({
  ...area,
  id: 'removeMember',
  method: 'POST',
  path: `${pathOfOne}/remove`,
  form: noFields,
  needs: ['MEMBER:read', 'MEMBER:delete', 'TOMBSTONE:create', 'accounts:delete', ...needsOfSecrets],
});

/** The keys and secrets that somebody could read who lost access, until they are replaced. */
const showSharedSecrets = webPage({
  ...area,
  id: 'showSharedSecrets',
  method: 'GET',
  path: `${path}/secrets`,
  /** When which member lost access; without both, all are shown. */
  query: z.object({ member: filter(uuid), role: filter(z.enum(roles)), since: filter(z.iso.datetime()) }),
  needs: needsOfSecrets,
});

const pathToLeave = '/programs/{programId}/settings/leave';

/** Every member may leave, but the owner of the account. */
const confirmLeaving = webPage({
  ...area,
  id: 'confirmLeaving',
  role: 'VIEWER',
  method: 'GET',
  path: pathToLeave,
  needs: [],
});

const leaveProgram = webPage({
  ...area,
  id: 'leaveProgram',
  role: 'VIEWER',
  method: 'POST',
  path: pathToLeave,
  form: noFields,
  needs: ['MEMBER:read', 'MEMBER:delete', 'TOMBSTONE:create', 'accounts:delete'],
});

/** `invitationId` is the id of the program, of which an invitation shows nothing else. */
const respondToInvitation = webPage({
  function: 'web-programs',
  auth: 'session',
  id: 'respondToInvitation',
  method: 'POST',
  path: '/invitations/{invitationId}',
  form: z.strictObject({ decision: z.enum(['accept', 'decline']) }),
  needs: ['MEMBER:read', 'MEMBER:change', 'MEMBER:delete', 'TOMBSTONE:create', 'accounts:create', 'accounts:delete'],
});

export const memberPages = [
  showMembers,
  inviteMember,
  showMember,
  changeMember,
  confirmMemberRemoval,
  removeMember,
  showSharedSecrets,
  confirmLeaving,
  leaveProgram,
  respondToInvitation,
] as const;
