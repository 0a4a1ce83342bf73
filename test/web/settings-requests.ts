import type { DeclaredPage } from '../../shared/contract/pages/pages.ts';
import { freshEmail } from '../support/browser.ts';
import type { PageRequest } from './portal-requests.ts';
import type { WebWorld } from './web-world.ts';

/** A request of each page of members, privacy and mails that its own account may make. */
export const freshSettingsRequests = {
  showMembers: ({ programId }) => ({ parameters: { programId } }),
  inviteMember: ({ programId }) => ({ parameters: { programId }, form: { email: freshEmail(), role: 'VIEWER' } }),
  showMember: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  changeMember: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: { role: 'MANAGER' } }),
  confirmMemberRemoval: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  showSharedSecrets: ({ programId, ids }) => ({
    parameters: { programId },
    query: { member: ids.memberId, role: 'OWNER', since: '2999-01-01T00:00:00.000Z' },
  }),
  removeMember: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  sendInvitationAgain: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  showMails: ({ programId }) => ({ parameters: { programId } }),
  changeMailSender: ({ programId }) => ({
    parameters: { programId },
    form: { senderName: '"><script>', replyTo: freshEmail() },
  }),
  showMail: ({ programId }) => ({ parameters: { programId, mailKind: 'FIRST_SALE' } }),
  changeMail: ({ programId }) => ({
    parameters: { programId, mailKind: 'FIRST_SALE' },
    form: { isOn: 'on', subject: '"><script>', opening: '</p><script>alert(1)</script>' },
  }),
  previewMail: ({ programId }) => ({ parameters: { programId, mailKind: 'WEEKLY_SUMMARY' } }),
  sendTestMail: ({ programId }) => ({ parameters: { programId, mailKind: 'FIRST_SALE' }, form: {} }),
} satisfies Partial<Record<DeclaredPage['id'], (world: WebWorld) => PageRequest>>;
