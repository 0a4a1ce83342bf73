import * as z from 'zod';
import { email } from '../fields.ts';
import { webPage } from '../page.ts';
import { roles } from '../roles.ts';
import { noFields } from './operation-form.ts';

const area = { function: 'web-programs', auth: 'session', role: 'OWNER' } as const;
const path = '/programs/{programId}/settings/members';
const pathOfOne = `${path}/{memberId}` as const;

const showMembers = webPage({ ...area, id: 'showMembers', method: 'GET', path, needs: ['MEMBER:list'] });

const inviteMember = webPage({
  ...area,
  id: 'inviteMember',
  creates: true,
  method: 'POST',
  path,
  form: z.strictObject({ email, role: z.enum(roles) }),
  needs: ['MEMBER:read', 'MEMBER:list', 'MEMBER:create', 'accounts:create'],
});

const showMember = webPage({ ...area, id: 'showMember', method: 'GET', path: pathOfOne, needs: ['MEMBER:read'] });

const changeMember = webPage({
  ...area,
  id: 'changeMember',
  method: 'POST',
  path: pathOfOne,
  form: z.strictObject({ role: z.enum(roles) }),
  needs: ['MEMBER:read', 'MEMBER:change'],
});

const confirmMemberRemoval = webPage({
  ...area,
  id: 'confirmMemberRemoval',
  method: 'GET',
  path: `${pathOfOne}/remove`,
  needs: ['MEMBER:read'],
});

const removeMember = webPage({
  ...area,
  id: 'removeMember',
  method: 'POST',
  path: `${pathOfOne}/remove`,
  form: noFields,
  needs: ['MEMBER:read', 'MEMBER:delete', 'accounts:delete'],
});

const pathToLeave = '/programs/{programId}/settings/leave';

/** Every member may leave, and so decline an invitation, but the owner of the account. */
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
  needs: ['MEMBER:read', 'MEMBER:delete', 'accounts:delete'],
});

export const memberPages = [
  showMembers,
  inviteMember,
  showMember,
  changeMember,
  confirmMemberRemoval,
  removeMember,
  confirmLeaving,
  leaveProgram,
] as const;
