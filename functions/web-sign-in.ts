import { finishSignIn, readStyle, showStart, signIn, signOut } from '../shared/contract/pages/sign-in.ts';
import { findOrMakeAccount } from '../shared/programs/accounts.ts';
import { redirect } from '../shared/web/answers.ts';
import { addressOf } from '../shared/web/app-url.ts';
import { endCookie } from '../shared/web/cookies.ts';
import { failedSignInView, startView } from '../shared/web/pages/start.tsx';
import { findPendingSignIn, readReturn, rememberSignIn, startSession } from '../shared/web/session.ts';
import { beginSignIn, exchangeCode, signOutAddress } from '../shared/web/sign-in.ts';
import { style, styleVersion } from '../shared/web/style.ts';
import { act, show, webArea } from '../shared/web/web-area.ts';

export const handler = webArea(
  show(showStart, ({ session }) => (session ? redirect('/programs') : startView())),

  show(readStyle, ({ parameters }) => ({
    kind: 'asset',
    type: 'text/css; charset=utf-8',
    body: style,
    immutable: parameters.version === styleVersion,
  })),

  show(signIn, async ({ session, query, cookie, now }) => {
    const returnTo = (await readReturn(cookie('return-to'), now)) ?? '/programs';
    if (session) return redirect(returnTo, [endCookie('return-to')]);
    const { address, checks } = await beginSignIn(query);
    const remembered = await rememberSignIn(cookie, { ...checks, returnTo }, now);
    return redirect(address.href, [remembered, endCookie('return-to')]);
  }),

  show(finishSignIn, async ({ cookie, address, now }) => {
    const pending = await findPendingSignIn(cookie, addressOf(address).searchParams.get('state'), now);
    if (!pending) return failedSignInView('This sign-in took too long, or was begun in another browser.');
    const outcome = await exchangeCode(address, pending);
    if (outcome.kind === 'refused') return failedSignInView('The sign-in was not completed.');
    if (outcome.kind === 'unverified')
      return failedSignInView('Your email address is not verified yet. Verify it, then sign in again.', {
        status: 403,
        // The provider would take the same person again without a question.
        again: '/sign-in?prompt=login',
      });
    const { email } = await findOrMakeAccount(outcome.email);
    return redirect(pending.returnTo, [await startSession(email, now), endCookie(pending.name)]);
  }),

  act(signOut, async () => redirect((await signOutAddress()).href, [endCookie('session')])),
);
