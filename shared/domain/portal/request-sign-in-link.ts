import { randomUUID } from 'node:crypto';
import { ApiError } from '../../contract/errors.ts';
import { mailsKind } from '../programs/mail-settings.ts';
import type { StoredProgram } from '../programs/repository.ts';
import { limitSignInLinks } from './limit-sign-in-links.ts';
import { sendPortalRequest } from './portal-requests.ts';

/** The affiliate with that email, if there is one, gets a link within seconds. 409 where it is not mailed; 429. docs/behavior.md#signing-in-to-the-portal */
export const requestSignInLink = async (
  program: Pick<StoredProgram, 'id' | 'mails'>,
  asked: { email: string; sourceIp: string },
  now: Date,
): Promise<void> => {
  const { id: programId } = program;
  if (!mailsKind(program, 'PORTAL_SIGN_IN')) throw new ApiError('conflict', 'This program sends no sign-in links.');
  await limitSignInLinks(programId, asked, now);
  const { email } = asked;
  await sendPortalRequest({ kind: 'SIGN_IN', id: randomUUID(), at: now.toISOString(), programId, email });
};
