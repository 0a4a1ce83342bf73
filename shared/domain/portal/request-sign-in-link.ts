import { affiliates } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import type { StoredProgram } from '../programs/repository.ts';
import { limitSignInLinks } from './limit-sign-in-links.ts';
import { type CreatedLink, mayEnterPortal, newSignInLink } from './sign-in-link.ts';

type Send = (affiliate: StoredAffiliate, link: CreatedLink) => Promise<void>;

/** Sends a link to the affiliate with that email, if there is one: the caller does not learn. 429. docs/behavior.md#signing-in-to-the-portal */
export const requestSignInLink = async (
  program: StoredProgram,
  asked: { email: string; sourceIp: string },
  now: Date,
  send: Send,
): Promise<void> => {
  await limitSignInLinks(program.id, asked, now);
  const affiliate = await affiliates.find(program.id, 'EMAIL', asked.email);
  if (!affiliate || !mayEnterPortal(affiliate)) return;
  await send(affiliate, await newSignInLink(program, affiliate.id, false, now));
};
