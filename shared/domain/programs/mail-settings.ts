import { type MailKind, type MailSettings, mails, type SettingsOfKind } from '../../contract/mails.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { getProgram, programs, type StoredProgram } from './repository.ts';

type Settings = Pick<StoredProgram, 'mails'>;

const standard: MailSettings = { senderName: null, replyTo: null, kinds: {} };
const standardOfKind: SettingsOfKind = { isOff: false, subject: null, opening: null };

export const mailSettingsOf = ({ mails: set }: Settings): MailSettings => set ?? standard;

export const settingsOfKind = (program: Settings, kind: MailKind): SettingsOfKind =>
  mailSettingsOf(program).kinds[kind] ?? standardOfKind;

/** Whether a program has left a kind of mail on. docs/behavior.md#settings-of-mails */
export const sendsKind = (program: Settings, kind: MailKind): boolean => !settingsOfKind(program, kind).isOff;

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
