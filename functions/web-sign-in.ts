import { ApiError } from '../shared/contract/errors.ts';
import { signInPages } from '../shared/contract/pages/sign-in.ts';
import { findOrMakeAccount } from '../shared/domain/programs/accounts.ts';
import { endAllSessions, endSession } from '../shared/domain/programs/ended-sessions.ts';
import { accentStyle } from '../shared/platform/color/accent.ts';
import { script, scriptVersion } from '../shared/web/components/script.at-build.ts';
import { style, styleVersion } from '../shared/web/components/style.ts';
import { failedSignInView, signOutEverywhereView, startView } from '../shared/web/pages/start.tsx';
import { redirect } from '../shared/web/responses.ts';
import { addressOf } from '../shared/web/session/app-url.ts';
import { endCookie } from '../shared/web/session/cookies.ts';
import {
  beginSignIn,
  defaultReturn,
  findSignIn,
  readReturn,
  signInPath,
} from '../shared/web/session/pending-sign-in.ts';
import { endOfSession, startSession } from '../shared/web/session/session.ts';
import { exchangeCode, signInAddress, signOutAddress } from '../shared/web/session/sign-in.ts';
import { webArea } from '../shared/web/web.ts';

export const handler = webArea(signInPages, {
  showStart: ({ session }) => (session ? redirect('/programs') : startView()),

  readStyle: ({ parameters }) => ({
    kind: 'asset',
    type: 'text/css; charset=utf-8',
    body: style,
    immutable: parameters.version === styleVersion,
  }),

  readAccentStyle: ({ parameters: { version, color } }) => {
    if (!/^[0-9a-f]{6}$/.test(color)) throw new ApiError('not_found');
    return {
      kind: 'asset',
      type: 'text/css; charset=utf-8',
      body: accentStyle(`#${color}`),
      immutable: version === styleVersion,
    };
  },

  readScript: ({ parameters }) => ({
    kind: 'asset',
    type: 'text/javascript; charset=utf-8',
    body: script,
    immutable: parameters.version === scriptVersion,
  }),

  signIn: async ({ session, query, cookies }) => {
    const returnTo = await readReturn(query.returnTo);
    if (session) return redirect(returnTo);
    const begun = beginSignIn(cookies, returnTo === defaultReturn ? undefined : query.returnTo);
    return redirect((await signInAddress(begun.checks, query)).href, begun.cookies);
  },

  finishSignIn: async ({ cookies, address, now }) => {
    const pending = findSignIn(cookies, addressOf(address).searchParams.get('state'));
    if (!pending) return failedSignInView('The sign-in took too long, or was started in another browser.');
    const [outcome, returnTo] = await Promise.all([
      exchangeCode(address, pending.checks),
      readReturn(pending.encryptedReturn),
    ]);
    if (outcome.kind === 'refused') return failedSignInView('The sign-in was not completed.');
    if (outcome.kind === 'unverified')
      return failedSignInView('Your email address is not verified yet. Verify it, then sign in again.', {
        status: 403,
        // Otherwise the provider signs in the same person again without asking.
        again: '/sign-in?prompt=login',
      });
    const { email, sessionsValidAfter = 0 } = await findOrMakeAccount(outcome.email);
    // The provider may still have the session of a device that was signed out from another one.
    if (outcome.authenticatedAt <= sessionsValidAfter)
      return redirect(await signInPath(returnTo, 'login'), [endCookie(pending.cookie)]);
    return redirect(returnTo, [await startSession(email, now), endCookie(pending.cookie)]);
  },

  signOut: async ({ session, now }) => {
    await endSession(session.email, session, endOfSession(session), now);
    return redirect((await signOutAddress()).href, [endCookie('session')]);
  },

  confirmSignOutEverywhere: ({ session }) => signOutEverywhereView(session),

  signOutEverywhere: async ({ session, now }) => {
    await endAllSessions(session.email, now);
    return redirect((await signOutAddress()).href, [endCookie('session')]);
  },
});
