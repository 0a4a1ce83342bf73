import type { ApiError, ErrorCode } from '../../contract/errors.ts';
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

export const problemView = (problem: ApiError): View => {
  const isSession = problem.code === 'session_ended';
  const content = (
    <>
      <p>{problem.message}</p>
      <p>
        <a class="button" href={isSession ? '/sign-in' : '/'}>
          {isSession ? 'Sign in' : 'Go to the start page'}
        </a>
      </p>
    </>
  );
  return view(titles[problem.code] ?? 'Request failed', content, {
    status: problem.status,
    ...(problem.headers && { headers: problem.headers }),
  });
};
