import { type MailKind, mails } from '../contract/mails.ts';
import { mailSettingsOf, settingsOfKind, writesMails } from '../domain/programs/mail-settings.ts';
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
  const common = { brand: { name, accentColor }, replyTo: replyTo ?? undefined };
  if (!writesMails(program)) return { ...common, fromName: name, texts: undefined };
  return { ...common, fromName: senderName ?? name, texts: settingsOfKind(program, kind) };
};

/** The data of a mail, without what members may not write on the program's plan. */
export const allowedData = (
  kind: MailKind,
  data: Readonly<Record<string, unknown>>,
  program: StoredProgram,
): Readonly<Record<string, unknown>> =>
  kind === 'APPLICATION_DECLINED' && !writesMails(program) ? { ...data, message: null } : data;
