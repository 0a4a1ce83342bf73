import { Confirmation } from '../components/controls.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';

export const startView = (): View =>
  view(
    'Affiliate programs with an API',
    <div class="actions">
      <a class="button" href="/sign-in">
        Sign in
      </a>
      <a class="button quiet" href="/docs">
        Documentation
      </a>
      <a class="button quiet" href="/api/v1/openapi.json">
        OpenAPI description
      </a>
    </div>,
    {
      lead: 'Manage affiliates, links, promotional codes, sales and payouts: in a dashboard, through an HTTP API and with webhooks.',
    },
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
    <Confirmation session={session} action="/sign-out/everywhere" button="Sign out everywhere" back="/programs">
      <p>
        This ends every session of <strong>{session.email}</strong> immediately, on this device and on all others. API
        keys and connected apps keep working.
      </p>
    </Confirmation>,
  );
