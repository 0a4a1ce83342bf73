import { unsubscribePath } from '../contract/mail-addresses.ts';
import { type MailKind, type MailMessage, mails } from '../contract/mails.ts';
import { programs, type StoredProgram } from '../domain/programs/repository.ts';
import { logInfo } from '../platform/logs/log.ts';
import { wantsMail } from '../platform/mail/addresses.ts';
import { claimMail, giveBack, mailSent } from '../platform/mail/claim.ts';
import { sendEmail } from '../platform/mail/send-email.ts';
import { unsubscribeToken } from '../platform/mail/unsubscribe-link.ts';
import type { MailBrand } from './html.tsx';
import { renderMail } from './render.ts';

const minuteMilliseconds = 60_000;

type Outcome = 'SENT' | 'ALREADY_SENT' | 'TOO_LATE' | 'PROGRAM_DELETED' | 'NOT_WANTED' | 'OVER_LIMIT';

const isTooLate = ({ kind, at }: MailMessage, now: Date): boolean =>
  now.getTime() - Date.parse(at) > mails[kind].usefulMinutes * minuteMilliseconds;

const unsubscribeUrlOf = async ({ programId, kind, to }: MailMessage): Promise<string | undefined> => {
  if (mails[kind].isTransactional) return undefined;
  const token = await unsubscribeToken({ programId, kind, address: to });
  return new URL(unsubscribePath.replace('{token}', token), process.env.APP_URL).href;
};

const service: MailBrand = { name: 'Affiliate programs', accentColor: undefined };

const brandOf = (kind: MailKind, { name, accentColor }: StoredProgram): MailBrand =>
  mails[kind].from === 'SERVICE' ? service : { name, accentColor };

const sendNow = async (message: MailMessage, program: StoredProgram): Promise<void> => {
  const { kind, to, data } = message;
  const unsubscribeUrl = await unsubscribeUrlOf(message);
  const brand = brandOf(kind, program);
  const rendered = renderMail({ kind, data, to, brand, unsubscribeUrl });
  await sendEmail({ ...rendered, to, fromName: brand.name, replyTo: undefined, unsubscribeUrl });
};

const deliver = async (message: MailMessage, now: Date): Promise<Outcome> => {
  const { id, programId, kind, to } = message;
  if (isTooLate(message, now)) return 'TOO_LATE';
  const [program, isWanted] = await Promise.all([programs.get(programId, programId), wantsMail(to, programId, kind)]);
  if (!program) return 'PROGRAM_DELETED';
  if (!isWanted) return 'NOT_WANTED';
  const claim = await claimMail({ id, programId, plan: program.plan, to }, now);
  if (claim === 'SENT') return 'ALREADY_SENT';
  if (claim === 'OVER_LIMIT') return 'OVER_LIMIT';
  try {
    await sendNow(message, program);
  } catch (error) {
    await giveBack(claim);
    throw error;
  }
  await mailSent(claim, now);
  return 'SENT';
};

/** Sends a mail of the queue once, unless it is killed right after SES took it. Throws where it must come again. docs/behavior.md#mails */
export const deliverMail = async (message: MailMessage, now: Date): Promise<Outcome> => {
  const outcome = await deliver(message, now);
  const { id, programId, kind } = message;
  logInfo('mail handled', { mailId: id, programId, kind, outcome });
  return outcome;
};
