import type * as z from 'zod';
import { actorText } from '../contract/actor.ts';
import { ApiError } from '../contract/errors.ts';
import type { WebPage } from '../contract/page.ts';
import { withinPlan } from '../domain/programs/record-bound.ts';
import { parseFields } from '../http/parsing.ts';
import { type HttpResponse, pathAndQueryOf, pipeline } from '../http/pipeline.ts';
import { type OneFunction, serve } from '../http/route.ts';
import { withActor } from '../platform/table/actor.ts';
import {
  checkOriginOfForm,
  checkPlan,
  checkProgram,
  checkRole,
  choosePage,
  countPages,
  findAccountAndProgram,
  findSession,
  limitForms,
  limitRecords,
  SessionEndedBeforeForm,
  SignInRequired,
  type WebEvent,
  type WebState,
} from './checks.ts';
import type { Filled } from './components/controls.tsx';
import { localeOf, withFormats } from './components/formats.ts';
import { fullSentence } from './components/plan.tsx';
import { capitalized } from './components/text.tsx';
import { withEarlyStart } from './early-start.ts';
import { pageFinder } from './find-pages.ts';
import { entriesOf, formInput } from './forms/form-fields.ts';
import type { AnyRequest, PageHandlersOf, ServedPage } from './handlers.ts';
import { formOnce } from './once.ts';
import { keptFormView, problemView } from './pages/problem.tsx';
import { redirect, type WebResponse, webResponse } from './responses.ts';
import { addressOf } from './session/app-url.ts';
import { readCookies } from './session/cookies.ts';
import { signInPath } from './session/pending-sign-in.ts';

/** `..` in the decoded path may leave two leading slashes, which a browser would read as a host. */
const addressOfEvent = (event: WebEvent): string => {
  const { pathname, search } = addressOf(pathAndQueryOf(event));
  return `${pathname.replace(/^\/+/, '/')}${search}`;
};

const respondAs = (
  { rawPath, rawQueryString, state: { session, program, role } }: WebEvent,
  response: WebResponse,
): HttpResponse => webResponse(response, { session, program, role, address: `${rawPath}?${rawQueryString}` });

const viewOf = (error: ApiError, event: WebEvent): WebResponse =>
  error instanceof SessionEndedBeforeForm ? keptFormView(error, addressOfEvent(event)) : problemView(error);

const respondToError = async (error: ApiError, event: WebEvent): Promise<HttpResponse> => {
  // A page that is refused counts as well.
  const refusal = await event.state.counting?.catch((refused: unknown) => refused);
  const reason = refusal instanceof ApiError ? refusal : error;
  return respondAs(
    event,
    reason instanceof SignInRequired ? redirect(await signInPath(addressOfEvent(event))) : viewOf(reason, event),
  );
};

const parse = (schema: z.ZodObject | undefined, input: Record<string, unknown>): Record<string, unknown> =>
  schema ? parseFields(schema, input) : {};

const withoutName = (message: string, name: string): string => {
  const rest = message.startsWith(`${name} `) ? message.slice(name.length + 1) : message;
  return capitalized(rest);
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

const signedInAgain = (values: Record<string, string>): Filled => ({
  values,
  errors: {},
  message: 'You have signed in again. Nothing was saved yet: check what you entered, then send it.',
});

const run = async (event: WebEvent): Promise<HttpResponse> => {
  const { served, session, account, program, now, fields = {} } = event.state;
  if (!served) throw new Error('No page was chosen');
  const { declared: page, handle } = served;
  const { submit, showAgain } = typeof handle === 'function' ? { submit: handle } : handle;
  const common = {
    session,
    account,
    program,
    now,
    entered: fields,
    parameters: event.state.parameters,
    cookies: readCookies(event),
    address: addressOfEvent(event),
  } as Omit<AnyRequest, 'query' | 'form'>;
  const showFormAgain = async (): Promise<HttpResponse> => {
    if (showAgain)
      return respondAs(event, await showAgain({ ...common, query: {}, form: {} } as AnyRequest, signedInAgain(fields)));
    // A page that only asks has nothing to keep.
    if (event.state.pages.some(({ declared }) => declared.method === 'GET'))
      return respondAs(event, redirect(common.address));
    throw new ApiError('form_not_ours');
  };
  try {
    if (event.state.isFromEarlierSession) return await showFormAgain();
    const query = parse(page.query, entriesOf(event.rawQueryString));
    const form = parse(page.form, page.form ? formInput(page.form, fields, page) : {});
    await limitRecords(event, page.writes?.(form));
    const request = { ...common, query, form } as AnyRequest;
    return await formOnce(event, async () => respondAs(event, await submit(request)));
  } catch (error) {
    if (!showAgain || !(error instanceof ApiError) || error.status >= 500) throw error;
    const filled = filledWith(fields, error, page.form);
    const shown = await showAgain({ ...common, query: {}, form: {} } as AnyRequest, filled);
    return respondAs(event, { ...shown, status: error.status, headers: { ...shown.headers, ...error.headers } });
  }
};

const runWithinPlan = (event: WebEvent): Promise<HttpResponse> => {
  const { program, session, now } = event.state;
  if (!program) return run(event);
  const sentence = fullSentence(program.ownerEmail === session?.email);
  return withinPlan(program, { now, sentence }, () => run(event));
};

/** As the member, with the formats of the browser and the program. */
const runAsMember = (event: WebEvent): Promise<HttpResponse> => {
  const { session, program } = event.state;
  const formats = { locale: localeOf(event.headers['accept-language']), timeZone: program?.timeZone ?? 'UTC' };
  return withFormats(formats, () =>
    session
      ? withActor(
          actorText({ type: 'MEMBER', id: session.email }),
          () => runWithinPlan(event),
          event.requestContext.requestId,
        )
      : run(event),
  );
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
      choosePage,
      findSession,
      checkOriginOfForm,
      start,
      findAccountAndProgram,
      countPages,
      limitForms,
      checkProgram,
      checkRole,
      checkPlan,
    ],
    handle: async (event) => {
      const response = await finish(event);
      await event.state.counting;
      return response;
    },
    respondToError,
  });
};
