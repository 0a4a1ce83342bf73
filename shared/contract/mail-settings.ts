import * as z from 'zod';
import { email, text } from './fields.ts';

// Apart from the kinds of mail, whose texts only those functions carry that write mails.

export const mailSenderName = text(80);
export const mailSubject = text(150);
export const mailOpening = text(600);

const SettingsOfKind = z.object({
  isOff: z.boolean(),
  subject: mailSubject.nullable(),
  opening: mailOpening.nullable(),
});
export type SettingsOfKind = z.output<typeof SettingsOfKind>;

/** What a program has set for its mails, by kind; what is absent is as `mails` says. docs/behavior.md#settings-of-mails */
export const MailSettings = z.object({
  senderName: mailSenderName.nullable(),
  replyTo: email.nullable(),
  kinds: z.record(z.string(), SettingsOfKind),
});
export type MailSettings = z.output<typeof MailSettings>;

/** Without the first one the stage sends no mails. */
export const mailVariables = { from: 'MAIL_FROM', configurationSet: 'MAIL_CONFIGURATION_SET' } as const;
