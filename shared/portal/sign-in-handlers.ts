import type { portalPages } from '../contract/pages/portal.ts';
import { affiliates } from '../domain/affiliates/repository.ts';
import { endPortalSession, startPortalSession } from '../domain/portal/portal-sessions.ts';
import { requestSignInLink } from '../domain/portal/request-sign-in-link.ts';
import { readSignInLink, stillAdmits } from '../domain/portal/sign-in-link.ts';
import type { StoredProgram } from '../domain/programs/repository.ts';
import { unfilled } from '../web/components/controls.tsx';
import type { PageHandlersOf } from '../web/handlers.ts';
import { portalPath } from '../web/pages/portal-path.ts';
import { redirect } from '../web/responses.ts';
import { endPortalCookie, newPortalCookie } from '../web/session/portal-session.ts';
import { sectionPath } from './paths.ts';
import { badLinkView, confirmSignInView, linkRequestedView, signInView } from './sign-in.tsx';

type SignInPage = 'showPortalSignIn' | 'requestSignInLink' | 'confirmPortalSignIn' | 'enterPortal' | 'leavePortal';

/** What a link stands for; undefined if it cannot be used, as far as is known before it is. */
const readLink = async (program: StoredProgram, token: string, now: Date) => {
  const link = await readSignInLink(program.id, token, now);
  const affiliate = link && (await affiliates.get(program.id, link.affiliateId));
  return affiliate && stillAdmits(link, affiliate) ? { link, affiliate } : undefined;
};

export const signInHandlers: Pick<PageHandlersOf<typeof portalPages>, SignInPage> = {
  // The overview leads back here if the session has ended.
  showPortalSignIn: ({ program, portalSession }) =>
    portalSession ? redirect(sectionPath(program, 'overview')) : signInView(program, unfilled),

  requestSignInLink: {
    submit: async ({ program, form: { email }, sourceIp, now }) => {
      await requestSignInLink(program, { email, sourceIp }, now);
      return linkRequestedView(program, email);
    },
    showAgain: ({ program }, filled) => signInView(program, filled),
  },

  confirmPortalSignIn: async ({ program, query: { token }, portalSession, isFramed, now }) => {
    // Whoever types the address has no link yet.
    if (token === undefined) return redirect(portalPath(program));
    const found = await readLink(program, token, now);
    if (!found) return badLinkView(program);
    const isAnotherSignedIn = portalSession !== undefined && portalSession.affiliateId !== found.affiliate.id;
    // Outside a frame any page could send a browser here, and sign it in as somebody else.
    const continuesItself = found.link.isForEmbedding && isFramed && !isAnotherSignedIn;
    return confirmSignInView(program, found.affiliate, { token, continuesItself });
  },

  enterPortal: async ({ program, form: { token }, isFramed, now }) => {
    const found = await readLink(program, token, now);
    if (!found || !(await startPortalSession(found.link, now))) return badLinkView(program);
    return redirect(sectionPath(program, 'overview'), [
      await newPortalCookie(found.link, { path: portalPath(program), isFramed }, now),
    ]);
  },

  leavePortal: async ({ program, session, isFramed, now }) => {
    await endPortalSession(session, now);
    const path = portalPath(program);
    return redirect(path, [endPortalCookie({ path, isFramed })]);
  },
};
