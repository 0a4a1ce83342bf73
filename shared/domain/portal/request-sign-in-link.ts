import { randomUUID } from 'node:crypto';
import { ApiError } from '../../contract/errors.ts';
import { sendsMails } from '../../platform/mail/send-mail.ts';
import type { StoredProgram } from '../programs/repository.ts';
import { limitSignInLinks } from './limit-sign-in-links.ts';
import { sendPortalRequest } from './portal-requests.ts';

/** The affiliate with that email, if there is one, gets a link within seconds. 409 where the stage sends no mails; 429. docs/behavior.md#signing-in-to-the-portal */
export const requestSignInLink = async (
  { id: programId }: Pick<StoredProgram, 'id'>,
  asked: { email: string; sourceIp: string },
  now: Date,
): Promise<void> => {
  if (!sendsMails()) throw new ApiError('conflict', 'This program sends no sign-in links.');
  await limitSignInLinks(programId, asked, now);
  const { email } = asked;
  await sendPortalRequest({ kind: 'SIGN_IN', id: randomUUID(), at: now.toISOString(), programId, email });
};
