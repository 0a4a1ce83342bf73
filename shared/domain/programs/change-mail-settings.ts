import type { MailSettings, SettingsOfKind } from '../../contract/mail-settings.ts';
import { type MailKind, mails } from '../../contract/mails.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { mailSettingsOf } from './mail-settings.ts';
import { getProgram, programs } from './repository.ts';

/** What members write is shown to who asked for it: not in the name of the service. docs/security.md#threats */
export const hasOwnTexts = (kind: MailKind): boolean => mails[kind].from === 'PROGRAM';

/** 404 for a program that was deleted. */
const change = (programId: string, edit: (settings: MailSettings) => MailSettings, now: Date): Promise<void> =>
  retryOnConflict(async () => {
    const program = await getProgram(programId);
    const changed = { ...program, mails: edit(mailSettingsOf(program)), updatedAt: now.toISOString() };
    await writeTogether(programs.updateWrites(programId, program, changed));
  });

/** Who mails come from, and where replies go. 404. docs/behavior.md#settings-of-mails */
export const changeSender = (
  programId: string,
  sender: Pick<MailSettings, 'senderName' | 'replyTo'>,
  now: Date,
): Promise<void> => change(programId, (settings) => ({ ...settings, ...sender }), now);

/** Keeps no text that is that of the kind, so that it follows a better one. 404. docs/behavior.md#settings-of-mails */
export const changeMailKind = (programId: string, kind: MailKind, wanted: SettingsOfKind, now: Date): Promise<void> => {
  const own = (name: 'subject' | 'opening') =>
    hasOwnTexts(kind) && wanted[name] !== mails[kind][name] ? wanted[name] : null;
  const ofKind = { isOff: wanted.isOff, subject: own('subject'), opening: own('opening') };
  return change(programId, (settings) => ({ ...settings, kinds: { ...settings.kinds, [kind]: ofKind } }), now);
};
