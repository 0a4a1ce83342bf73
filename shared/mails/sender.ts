import { type MailKind, mails } from '../contract/mails.ts';
import { mailSettingsOf, settingsOfKind } from '../domain/programs/mail-settings.ts';
import type { StoredProgram } from '../domain/programs/repository.ts';
import type { MailContext } from './content.ts';
import type { MailBrand } from './html.tsx';

const service: MailBrand = { name: 'Affiliate programs', accentColor: undefined };

interface Sender {
  readonly brand: MailBrand;
  readonly fromName: string;
  readonly replyTo: string | undefined;
  readonly texts: MailContext['texts'];
}

/** Who a mail of a kind comes from, and what the program has it say. docs/behavior.md#settings-of-mails */
export const senderOf = (kind: MailKind, program: StoredProgram): Sender => {
  if (mails[kind].from === 'SERVICE')
    return { brand: service, fromName: service.name, replyTo: undefined, texts: undefined };
  const { senderName, replyTo } = mailSettingsOf(program);
  const { name, accentColor } = program;
  const texts = settingsOfKind(program, kind);
  return { brand: { name, accentColor }, fromName: senderName ?? name, replyTo: replyTo ?? undefined, texts };
};
