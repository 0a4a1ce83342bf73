import type { StoredAffiliate } from '../domain/affiliates/rules.ts';
import { fullName } from '../domain/affiliates/rules.ts';
import { mailsKind } from '../domain/programs/mail-settings.ts';
import type { StoredProgram } from '../domain/programs/repository.ts';
import { Field, type Filled } from '../web/components/controls.tsx';
import { portalPath } from '../web/pages/portal-path.ts';
import { type View, view } from '../web/responses.ts';

const ApplyLink = ({ program }: { program: StoredProgram }) =>
  program.applicationForm?.isOpen ? (
    <p>
      Not an affiliate yet? <a href={`${portalPath(program)}/apply`}>Apply</a>
    </p>
  ) : null;

const noLinksView = (program: StoredProgram): View =>
  view(
    'Sign in',
    <>
      <p class="empty">
        {program.name} sends no sign-in links. Affiliates come here from pages of the program, which sign them in.
      </p>
      <ApplyLink program={program} />
    </>,
  );

export const signInView = (program: StoredProgram, filled: Filled): View => {
  if (!mailsKind(program, 'PORTAL_SIGN_IN')) return noLinksView(program);
  return view(
    'Sign in',
    <>
      <div class="card form narrow">
        <form class="form" method="post" action={portalPath(program)}>
          {filled.message && (
            <p class="problem" role="alert">
              {filled.message}
            </p>
          )}
          <Field
            name="email"
            label="Email"
            hint="The address that you have in this program"
            filled={filled}
            required
            maxLength={254}
            inputMode="email"
          />
          <div class="form-actions">
            <button type="submit">Send me a link</button>
          </div>
        </form>
      </div>
      <ApplyLink program={program} />
    </>,
    { lead: `For affiliates of ${program.name}. You need no password: we send you a link that signs you in.` },
  );
};

/** The same for every address. */
export const linkRequestedView = (program: StoredProgram, email: string): View =>
  view(
    'Check your mail',
    <>
      <p>
        If <strong class="email">{email}</strong> is the address of an affiliate of {program.name}, a link is on its way
        to it. It works once, for 15 minutes.
      </p>
      <p>
        <a class="button quiet" href={portalPath(program)}>
          Use another address
        </a>
      </p>
    </>,
  );

export const badLinkView = (program: StoredProgram): View =>
  view(
    'This link does not work any more',
    <>
      <p>A link works once, for 15 minutes. Ask for another one.</p>
      <p>
        <a class="button" href={portalPath(program)}>
          Sign in
        </a>
      </p>
    </>,
    { status: 400 },
  );

/** The form continues by itself in a frame of the program's own page, unless another affiliate is signed in there. */
export const confirmSignInView = (
  program: StoredProgram,
  affiliate: StoredAffiliate,
  { token, continuesItself }: { token: string; continuesItself: boolean },
): View =>
  view(
    `Welcome, ${affiliate.firstName}`,
    <div class="card form narrow">
      <form
        class="form"
        method="post"
        action={`${portalPath(program)}/sign-in`}
        data-continue={continuesItself ? '' : undefined}
      >
        <p>
          You are about to sign in to {program.name} as {fullName(affiliate)}.
        </p>
        <input type="hidden" name="token" value={token} />
        <div class="form-actions">
          <button type="submit">Sign in</button>
        </div>
      </form>
    </div>,
  );
