import { sendMail } from '../../platform/mail/send-mail.ts';
import { affiliates } from '../affiliates/repository.ts';
import { programs } from '../programs/repository.ts';
import type { SignInRequest } from './portal-requests.ts';
import { mayEnterPortal, newSignInLink } from './sign-in-link.ts';

/** Mails a link to the affiliate with that email, if there is one who may enter. A request that comes twice sends one. docs/behavior.md#signing-in-to-the-portal */
export const sendSignInLink = async ({ id, at, programId, email }: SignInRequest, now: Date): Promise<void> => {
  const [program, affiliate] = await Promise.all([
    programs.get(programId, programId),
    affiliates.find(programId, 'EMAIL', email),
  ]);
  if (!program?.portalIsOn || !affiliate || !mayEnterPortal(affiliate)) return;
  const { path, expiresAt } = await newSignInLink(program, affiliate, false, new Date(at), id);
  if (expiresAt <= now.toISOString()) return;
  const { href: url } = new URL(path, process.env.APP_URL);
  await sendMail({ programId, kind: 'PORTAL_SIGN_IN', to: affiliate.email, data: { url }, occasion: id }, new Date(at));
};
