import type { DeclaredPage } from '../../shared/contract/pages/pages.ts';
import { freshEmail } from '../support/browser.ts';
import type { PageRequest } from './portal-requests.ts';
import type { WebWorld } from './web-world.ts';

/** A request of each page of members, privacy, mails and the portal's settings that its own account may make. */
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
  showPortalSettings: ({ programId }) => ({ parameters: { programId } }),
  changePortalSettings: ({ programId }) => ({
    parameters: { programId },
    form: { portalIsOn: 'on', embeddingOrigins: 'https://shop.example' },
  }),
  showApplicationSettings: ({ programId }) => ({ parameters: { programId } }),
  changeApplicationSettings: ({ programId }) => ({
    parameters: { programId },
    form: { isOpen: 'on', 'questions.0.question': 'Where do you write?', terms: 'Be honest.' },
  }),
} satisfies Partial<Record<DeclaredPage['id'], (world: WebWorld) => PageRequest>>;
