import type { MailMessage } from '../../contract/mails.ts';
import { mailMessage } from '../../platform/mail/send-mail.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { mailsKind } from '../programs/mail-settings.ts';
import { portalAddress } from '../programs/portal-address.ts';
import type { StoredProgram } from '../programs/repository.ts';

export type DecidingProgram = Pick<StoredProgram, 'id' | 'handle' | 'portalIsOn' | 'mails'>;

/** The same each time; undefined while the application waits, or where no such mail is sent. docs/behavior.md#applications */
export const decisionMail = (
  program: DecidingProgram,
  { id, email: to, application }: StoredAffiliate,
): MailMessage | undefined => {
  if (!application?.decidedAt) return undefined;
  const { status, decidedAt, message } = application;
  const kind = status === 'DECLINED' ? 'APPLICATION_DECLINED' : 'APPLICATION_APPROVED';
  if (!mailsKind(program, kind)) return undefined;
  const common = { programId: program.id, to, occasion: `${id} ${decidedAt}` };
  const at = new Date(decidedAt);
  return kind === 'APPLICATION_DECLINED'
    ? mailMessage({ ...common, kind, data: { message } }, at)
    : mailMessage({ ...common, kind, data: { url: portalAddress(program) } }, at);
};
