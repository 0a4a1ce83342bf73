import type { MailSettings, SettingsOfKind } from '../../contract/mail-settings.ts';
import type { MailKind } from '../../contract/mails.ts';
import { sendsMails } from '../../platform/mail/sends-mails.ts';
import type { StoredProgram } from './repository.ts';

type Settings = Pick<StoredProgram, 'mails'>;

const standard: MailSettings = { senderName: null, replyTo: null, kinds: {} };
const standardOfKind: SettingsOfKind = { isOff: false, subject: null, opening: null };

export const mailSettingsOf = ({ mails }: Settings): MailSettings => mails ?? standard;

export const settingsOfKind = (program: Settings, kind: MailKind): SettingsOfKind =>
  mailSettingsOf(program).kinds[kind] ?? standardOfKind;

/** Whether its members may write what mails say. On the FREE plan anybody could have a text of theirs sent to strangers. docs/security.md#threats */
export const writesMails = ({ plan }: Pick<StoredProgram, 'plan'>): boolean => plan === 'BUSINESS';

/** Whether a program has left a kind of mail on. docs/behavior.md#settings-of-mails */
export const sendsKind = (program: Settings, kind: MailKind): boolean => !settingsOfKind(program, kind).isOff;

/** Whether mails of a kind leave this stage for a program. */
export const mailsKind = (program: Settings, kind: MailKind): boolean => sendsMails() && sendsKind(program, kind);
