import { unsubscribePath } from '../contract/mail-addresses.ts';
import { type MailMessage, mails } from '../contract/mails.ts';
import { sendsKind } from '../domain/programs/mail-settings.ts';
import { programs, type StoredProgram } from '../domain/programs/repository.ts';
import { logInfo } from '../platform/logs/log.ts';
import { wantsMail } from '../platform/mail/addresses.ts';
import { claimMail, giveBack, mailSent } from '../platform/mail/claim.ts';
import { sendEmail } from '../platform/mail/send-email.ts';
import { unsubscribeToken } from '../platform/mail/unsubscribe-link.ts';
import { renderMail } from './render.ts';
import { allowedData, senderOf } from './sender.ts';

const minuteMilliseconds = 60_000;

type Outcome = 'SENT' | 'ALREADY_SENT' | 'TOO_LATE' | 'PROGRAM_DELETED' | 'SWITCHED_OFF' | 'NOT_WANTED' | 'OVER_LIMIT';

const isTooLate = ({ kind, at }: MailMessage, now: Date): boolean =>
  now.getTime() - Date.parse(at) > mails[kind].usefulMinutes * minuteMilliseconds;

const unsubscribeUrlOf = async ({ programId, kind, to }: MailMessage): Promise<string | undefined> => {
  if (mails[kind].isTransactional) return undefined;
  const token = await unsubscribeToken({ programId, kind, address: to });
  return new URL(unsubscribePath.replace('{token}', token), process.env.APP_URL).href;
};

const sendNow = async (message: MailMessage, program: StoredProgram): Promise<void> => {
  const { kind, to, isTest } = message;
  const data = allowedData(kind, message.data, program);
  const unsubscribeUrl = await unsubscribeUrlOf(message);
  const { brand, fromName, replyTo, texts } = senderOf(kind, program);
  const { subject, ...bodies } = renderMail({ kind, data, to, brand, texts, unsubscribeUrl });
  await sendEmail({ ...bodies, subject: isTest ? `Test: ${subject}` : subject, to, fromName, replyTo, unsubscribeUrl });
};

const deliver = async (message: MailMessage, now: Date): Promise<Outcome> => {
  const { id, programId, kind, to, isTest } = message;
  if (isTooLate(message, now)) return 'TOO_LATE';
  const [program, isWanted] = await Promise.all([programs.get(programId, programId), wantsMail(to, programId, kind)]);
  if (!program) return 'PROGRAM_DELETED';
  if (!isTest && !sendsKind(program, kind)) return 'SWITCHED_OFF';
  if (!isWanted) return 'NOT_WANTED';
  const countsForAddress = isTest || mails[kind].countsForAddress;
  // Members have tests sent to themselves, which uses up nothing of what strangers ask for.
  const budget = isTest ? 'PROGRAM' : mails[kind].budget;
  const claim = await claimMail({ id, programId, plan: program.plan, to, countsForAddress, budget }, now);
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
