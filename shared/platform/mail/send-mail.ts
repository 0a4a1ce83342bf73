import { type MailData, type MailKind, MailMessage, mails } from '../../contract/mails.ts';
import { send } from '../queue/send.ts';
import { derivedId } from '../table/derived-id.ts';
import { sendsMails } from './sends-mails.ts';

export interface Mail<Kind extends MailKind> {
  readonly programId: string;
  readonly kind: Kind;
  readonly to: string;
  readonly data: MailData<Kind>;
  /** What it is about, such as the id of an invitation: a second mail of a kind about the same to the same address is not sent. */
  readonly occasion: string;
  readonly isTest?: boolean;
}

/** A mail as its queue takes it, wherever it is sent from. @throws ZodError for an address or data that are not valid. docs/behavior.md#mails */
export const mailMessage = <Kind extends MailKind>(
  { programId, kind, to, data, occasion, isTest }: Mail<Kind>,
  now: Date,
): MailMessage =>
  MailMessage.parse({
    id: derivedId(new Date(0), 'MAIL', programId, kind, to, occasion),
    at: now.toISOString(),
    programId,
    kind,
    to,
    data: mails[kind].data.parse(data),
    isTest,
  });

/**
 * Puts a mail into the queue, from which `send-mail` sends it within seconds. The caller needs `mails:send`.
 *
 * For a sign-in link: `sendMail({ programId, kind: 'PORTAL_SIGN_IN', to: email, data: { url }, occasion: linkId }, now)`.
 * What `data` a kind has is in shared/contract/mails.ts.
 *
 * @returns false where the stage sends no mails. True says nothing of the address, which may be suppressed or over its limit, and
 * nothing of the program, which may have switched the kind off: `sendsKind` (shared/domain/programs/mail-settings.ts) tells.
 * @throws ZodError for an address or data that are not valid. docs/behavior.md#mails
 */
export const sendMail = async <Kind extends MailKind>(mail: Mail<Kind>, now: Date): Promise<boolean> => {
  if (!sendsMails()) return false;
  await send('mails', mailMessage(mail, now), mail.programId);
  return true;
};
