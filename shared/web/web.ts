import type * as z from 'zod';
import { actorText } from '../contract/actor.ts';
import { ApiError } from '../contract/errors.ts';
import type { WebPage } from '../contract/page.ts';
import { parseFields } from '../http/parsing.ts';
import { type HttpResponse, pathAndQueryOf, pipeline } from '../http/pipeline.ts';
import { type OneFunction, serve } from '../http/route.ts';
import { withActor } from '../platform/table/actor.ts';
import { addressOf } from './app-url.ts';
import {
  checkOriginOfForm,
  checkPlan,
  checkProgram,
  checkRole,
  choosePage,
  findAccountAndProgram,
  findSession,
  limitForms,
  SignInRequired,
  type WebEvent,
  type WebState,
} from './checks.ts';
import type { Filled } from './controls.tsx';
import { readCookies } from './cookies.ts';
import { withEarlyStart } from './early-start.ts';
import { pageFinder } from './find-pages.ts';
import { entriesOf, formInput } from './form-fields.ts';
import type { AnyRequest, PageHandlersOf, ServedPage } from './handlers.ts';
import { formOnce } from './once.ts';
import { problemView } from './pages/problem.tsx';
import { signInPath } from './pending-sign-in.ts';
import { redirect, type WebResponse, webResponse } from './responses.ts';

/** `..` in the decoded path may leave two leading slashes, which a browser would read as a host. */
const addressOfEvent = (event: WebEvent): string => {
  const { pathname, search } = addressOf(pathAndQueryOf(event));
  return `${pathname.replace(/^\/+/, '/')}${search}`;
};

const respondAs = (
  { rawPath, rawQueryString, state: { session, program, role } }: WebEvent,
  response: WebResponse,
): HttpResponse => webResponse(response, { session, program, role, address: `${rawPath}?${rawQueryString}` });

const respondToError = async (error: ApiError, event: WebEvent): Promise<HttpResponse> =>
  respondAs(
    event,
    error instanceof SignInRequired ? redirect(await signInPath(addressOfEvent(event))) : problemView(error),
  );

const parse = (schema: z.ZodObject | undefined, input: Record<string, unknown>): Record<string, unknown> =>
  schema ? parseFields(schema, input) : {};

const withoutName = (message: string, name: string): string => {
  const rest = message.startsWith(`${name} `) ? message.slice(name.length + 1) : message;
  return `${rest.slice(0, 1).toUpperCase()}${rest.slice(1)}`;
};

const messageOf = ({ code, message }: ApiError): string =>
  code === 'precondition_failed' ? 'This was changed in the meantime. Check it again before you continue.' : message;

const filledWith = (values: Record<string, string>, problem: ApiError, form: z.ZodObject | undefined): Filled => {
  const details = problem.details ?? [];
  const areFields = details.length > 0 && details.every(({ path }) => form && Object.hasOwn(form.shape, path));
  return {
    values,
    errors: Object.fromEntries(details.map(({ path, message }) => [path, withoutName(message, path)])),
    message: areFields ? 'Please correct the fields below.' : messageOf(problem),
  };
};

const run = async (event: WebEvent): Promise<HttpResponse> => {
  const { served, session, account, program, now, fields = {} } = event.state;
  if (!served) throw new Error('No page was chosen');
  const { declared: page, handle } = served;
  const { submit, showAgain } = typeof handle === 'function' ? { submit: handle } : handle;
  const common = {
    ...{ session, account, program, now },
    entered: fields,
    parameters: event.state.parameters,
    cookies: readCookies(event),
    address: addressOfEvent(event),
  } as Omit<AnyRequest, 'query' | 'form'>;
  try {
    const query = parse(page.query, entriesOf(event.rawQueryString));
    const form = parse(page.form, page.form ? formInput(page.form, fields, page) : {});
    const request = { ...common, query, form } as AnyRequest;
    return await formOnce(event, async () => respondAs(event, await submit(request)));
  } catch (error) {
    if (!showAgain || !(error instanceof ApiError) || error.status >= 500) throw error;
    const filled = filledWith(fields, error, page.form);
    const shown = await showAgain({ ...common, query: {}, form: {} } as AnyRequest, filled);
    return respondAs(event, { ...shown, status: error.status });
  }
};

const runAsMember = (event: WebEvent): Promise<HttpResponse> => {
  const { session } = event.state;
  return session ? withActor(actorText({ type: 'MEMBER', id: session.email }), () => run(event)) : run(event);
};

/** The Lambda of one area of the web application. A forgotten handler does not compile. */
export const webArea = <const Pages extends readonly WebPage[]>(
  pages: Pages & OneFunction<Pages[number]['function']>,
  handlers: PageHandlersOf<Pages>,
) => {
  const findPages = pageFinder(serve<WebPage, ServedPage['handle']>(pages, handlers));
  const { start, finish } = withEarlyStart(runAsMember);
  return pipeline<WebState>({
    begin: (request, event) => ({ ...request, ...findPages(event) }),
    checks: [
      ...[choosePage, findSession, checkOriginOfForm, start],
      ...[findAccountAndProgram, limitForms, checkProgram, checkRole, checkPlan],
    ],
    handle: finish,
    respondToError,
  });
};
