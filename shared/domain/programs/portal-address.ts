import { handleOf } from './handles.ts';
import { mailsKind } from './mail-settings.ts';
import type { StoredProgram } from './repository.ts';

/** Where affiliates sign in; null where the portal is off, or sends no sign-in links. docs/behavior.md#mails */
export const portalAddress = (program: Pick<StoredProgram, 'id' | 'handle' | 'portalIsOn' | 'mails'>): string | null =>
  program.portalIsOn && mailsKind(program, 'PORTAL_SIGN_IN')
    ? new URL(`/portal/${handleOf(program)}`, process.env.APP_URL).href
    : null;
