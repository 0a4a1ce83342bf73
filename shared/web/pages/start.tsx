import { PostForm } from '../controls.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session.ts';

export const startView = (): View =>
  view(
    'Affiliate programs, run over an API',
    <>
      <p>Affiliates, links, promotional codes, sales and payouts, over an HTTP API and with signed webhooks.</p>
      <p>
        <a class="button" href="/sign-in">
          Sign in
        </a>
      </p>
      <h2>For developers</h2>
      <ul>
        <li>
          <a href="/api/v1/docs">Documentation</a>
        </li>
        <li>
          <a href="/api/v1/openapi.json">OpenAPI description</a>
        </li>
      </ul>
    </>,
  );

export const failedSignInView = (reason: string, { status = 400, again = '/sign-in' } = {}): View =>
  view(
    'You are not signed in',
    <>
      <p>{reason}</p>
      <p>
        <a class="button" href={again}>
          Try again
        </a>
      </p>
    </>,
    { status },
  );

export const signOutEverywhereView = (session: Session): View =>
  view(
    'Sign out everywhere?',
    <>
      <p>
        Every session of <strong>{session.email}</strong> ends at once, on this device and on all others. API keys and
        connected apps keep working.
      </p>
      <PostForm session={session} action="/sign-out/everywhere">
        <button class="danger" type="submit">
          Sign out everywhere
        </button>{' '}
        <a href="/programs">Stay signed in</a>
      </PostForm>
    </>,
  );
