import type { MailSettings, SettingsOfKind } from '../../contract/mail-settings.ts';
import { type MailKind, mails } from '../../contract/mails.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { mailSettingsOf, settingsOfKind, writesMails } from './mail-settings.ts';
import { getProgram, programs, type StoredProgram } from './repository.ts';

/** What members write is shown to who asked for it: not in the name of the service. docs/security.md#threats */
export const hasOwnTexts = (kind: MailKind, program: Pick<StoredProgram, 'plan'>): boolean =>
  mails[kind].from === 'PROGRAM' && writesMails(program);

/** 404 for a program that was deleted. */
const change = (
  programId: string,
  edit: (settings: MailSettings, program: StoredProgram) => MailSettings,
  now: Date,
): Promise<void> =>
  retryOnConflict(async () => {
    const program = await getProgram(programId);
    const changed = { ...program, mails: edit(mailSettingsOf(program), program), updatedAt: now.toISOString() };
    await writeTogether(programs.updateWrites(programId, program, changed));
  });

/** Who mails come from, and where replies go. The FREE plan keeps the name that was set before. 404. docs/behavior.md#settings-of-mails */
export const changeSender = (
  programId: string,
  sender: Pick<MailSettings, 'senderName' | 'replyTo'>,
  now: Date,
): Promise<void> =>
  change(
    programId,
    (settings, program) => ({
      ...settings,
      ...sender,
      ...(!writesMails(program) && { senderName: settings.senderName }),
    }),
    now,
  );

/** Keeps no text that is that of the kind, so that it follows a better one. The FREE plan keeps the texts that were set before. 404. docs/behavior.md#settings-of-mails */
export const changeMailKind = (programId: string, kind: MailKind, wanted: SettingsOfKind, now: Date): Promise<void> => {
  const ofKind = (program: StoredProgram): SettingsOfKind => {
    if (!writesMails(program)) return { ...settingsOfKind(program, kind), isOff: wanted.isOff };
    const own = (name: 'subject' | 'opening') =>
      hasOwnTexts(kind, program) && wanted[name] !== mails[kind][name] ? wanted[name] : null;
    return { isOff: wanted.isOff, subject: own('subject'), opening: own('opening') };
  };
  return change(
    programId,
    (settings, program) => ({ ...settings, kinds: { ...settings.kinds, [kind]: ofKind(program) } }),
    now,
  );
};
