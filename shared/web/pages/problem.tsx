import type { ApiError, ErrorCode } from '../../contract/errors.ts';
import { planSentence } from '../components/plan.tsx';
import { type View, view } from '../responses.ts';

const titles: Partial<Record<ErrorCode, string>> = {
  not_found: 'Not found',
  program_not_found: 'Not found',
  path_not_found: 'Not found',
  session_ended: 'Your session has ended',
  form_not_ours: 'This form has expired',
  role_without_access: 'Not allowed',
  plan_without_access: 'Not included in your plan',
  rate_limited: 'Too many requests',
  internal: 'Something went wrong',
};

/** `start` is where one begins again, `signIn` where one signs in. */
export const problemView = (
  problem: ApiError,
  { start, signIn }: { start: string; signIn: string } = { start: '/', signIn: '/sign-in' },
): View => {
  const isSession = problem.code === 'session_ended';
  const content = (
    <>
      <p>{problem.message}</p>
      <p>
        <a class="button" href={isSession ? signIn : start}>
          {isSession ? 'Sign in' : 'Go to the start page'}
        </a>
      </p>
    </>
  );
  const isOthersPlan = problem.message === planSentence(false);
  const title = isOthersPlan ? 'Not available in this program' : titles[problem.code];
  return view(title ?? 'Request failed', content, {
    status: problem.status,
    ...(problem.headers && { headers: problem.headers }),
  });
};

/** Keeps a form in the page itself: nothing is stored for who is not signed in. docs/behavior.md#sign-in-and-sessions */
export const keptFormView = (
  { status, fields }: Pick<ApiError, 'status'> & { fields: Readonly<Record<string, string>> },
  address: string,
): View =>
  view(
    'Your session has ended',
    <div class="card form">
      <p>Nothing was saved yet. What you entered is kept in this tab.</p>
      <div data-tab="same" hidden>
        <p>
          Sign in with the same address as before. The form is then shown again, filled in, and you can check everything
          before it is sent.
        </p>
        <div class="form-actions">
          <a class="button" href="/sign-in">
            Sign in and continue
          </a>
        </div>
      </div>
      <div data-tab="new">
        <ol class="steps">
          <li>
            <a href="/sign-in" target="_blank" rel="noopener">
              Sign in
            </a>{' '}
            with the same address. This opens a new tab.
          </li>
          <li>Come back to this tab and continue. You can check everything before it is sent.</li>
        </ol>
        <form method="post" action={address} data-kept>
          {Object.entries(fields).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          <div class="form-actions">
            <button type="submit">Continue</button>
          </div>
        </form>
      </div>
    </div>,
    { status },
  );
