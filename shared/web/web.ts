import type * as z from 'zod';
import { type Actor, actorText } from '../contract/actor.ts';
import { ApiError } from '../contract/errors.ts';
import { isOfPortal, type WebPage } from '../contract/page.ts';
import { withinPlan } from '../domain/programs/record-bound.ts';
import { parseFields } from '../http/parsing.ts';
import { type HttpResponse, pathAndQueryOf, pipeline } from '../http/pipeline.ts';
import { type OneFunction, serve } from '../http/route.ts';
import { withActor } from '../platform/table/actor.ts';
import { findAffiliateAndProgram, findPortalSession, PortalSignInRequired } from './affiliate-checks.ts';
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
import { type DocumentOf, dashboardDocument } from './components/layout.tsx';
import { fullSentence } from './components/plan.tsx';
import { capitalized } from './components/text.tsx';
import { withEarlyStart } from './early-start.ts';
import { pageFinder } from './find-pages.ts';
import { entriesOf, formInput } from './forms/form-fields.ts';
import type { AnyRequest, PageHandlersOf, ServedPage } from './handlers.ts';
import { formOnce } from './once.ts';
import { portalPath } from './pages/portal-path.ts';
import { keptFormView, problemView } from './pages/problem.tsx';
import { redirect, type WebResponse, webResponse } from './responses.ts';
import { addressOf } from './session/app-url.ts';
import { readCookies } from './session/cookies.ts';
import { signInPath } from './session/pending-sign-in.ts';
import { endPortalCookie } from './session/portal-session.ts';

/** `..` in the decoded path may leave two leading slashes, which a browser would read as a host. */
const addressOfEvent = (event: WebEvent): string => {
  const { pathname, search } = addressOf(pathAndQueryOf(event));
  return `${pathname.replace(/^\/+/, '/')}${search}`;
};

const respondAs = ({ rawPath, rawQueryString, state }: WebEvent, response: WebResponse): HttpResponse => {
  const { session, program, role, served, portalSession, affiliate, isFramed = false, documentOf } = state;
  const portal = served && isOfPortal(served.declared) && { session: portalSession, affiliate, isFramed };
  const frame = { session, program, role, ...(portal && { portal }), address: `${rawPath}?${rawQueryString}` };
  return webResponse(response, frame, documentOf);
};

const startOf = ({ state: { served, program } }: WebEvent): { start: string; signIn: string } => {
  if (!served || !isOfPortal(served.declared)) return { start: '/', signIn: '/sign-in' };
  const start = program ? portalPath(program) : '/';
  return { start, signIn: start };
};

const responseToError = async (error: ApiError, event: WebEvent): Promise<WebResponse> => {
  if (error instanceof SignInRequired) return redirect(await signInPath(addressOfEvent(event)));
  if (error instanceof PortalSignInRequired) {
    const { parameters, program, isFramed = false } = event.state;
    const place = error.hasEnded && program && { path: portalPath(program), isFramed };
    return redirect(`/portal/${encodeURIComponent(parameters.handle ?? '')}`, place ? [endPortalCookie(place)] : []);
  }
  if (error instanceof SessionEndedBeforeForm) return keptFormView(error, addressOfEvent(event));
  return problemView(error, startOf(event));
};

const respondToError = async (error: ApiError, event: WebEvent): Promise<HttpResponse> => {
  // A page that is refused counts as well.
  const refusal = await event.state.counting?.catch((refused: unknown) => refused);
  return respondAs(event, await responseToError(refusal instanceof ApiError ? refusal : error, event));
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
  const { served, session, portalSession, account, affiliate, program, now, fields = {} } = event.state;
  if (!served) throw new Error('No page was chosen');
  const { declared: page, handle } = served;
  const { submit, showAgain } = typeof handle === 'function' ? { submit: handle } : handle;
  const common = {
    session: served.declared.auth === 'affiliate' ? portalSession : session,
    portalSession,
    account,
    affiliate,
    program,
    isFramed: event.state.isFramed ?? false,
    sourceIp: event.requestContext.http.sourceIp,
    requestId: event.requestContext.requestId,
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
  const { program, session, affiliate, now } = event.state;
  if (!program) return run(event);
  const sentence = affiliate
    ? 'The program has no room for more. Tell its owner.'
    : fullSentence(program.ownerEmail === session?.email);
  return withinPlan(program, { now, sentence }, () => run(event));
};

const actorOf = ({ session, affiliate }: WebState): Actor | undefined => {
  if (session) return { type: 'MEMBER', id: session.email };
  return affiliate && { type: 'AFFILIATE', id: affiliate.id };
};

/** As the member or the affiliate, with the formats of the browser and the program. */
const runAsReader = (event: WebEvent): Promise<HttpResponse> => {
  const { program } = event.state;
  const actor = actorOf(event.state);
  const formats = { locale: localeOf(event.headers['accept-language']), timeZone: program?.timeZone ?? 'UTC' };
  return withFormats(formats, () =>
    actor ? withActor(actorText(actor), () => runWithinPlan(event), event.requestContext.requestId) : run(event),
  );
};

/** The Lambda of one area of the web application, with the frame of its pages. A forgotten handler does not compile. */
export const webArea = <const Pages extends readonly WebPage[]>(
  pages: Pages & OneFunction<Pages[number]['function']>,
  handlers: PageHandlersOf<Pages>,
  documentOf: DocumentOf = dashboardDocument,
) => {
  const findPages = pageFinder(serve<WebPage, ServedPage['handle']>(pages, handlers));
  const { start, finish } = withEarlyStart(runAsReader);
  return pipeline<WebState>({
    begin: (request, event) => ({ ...request, ...findPages(event), documentOf }),
    checks: [
      choosePage,
      findSession,
      findPortalSession,
      checkOriginOfForm,
      start,
      findAccountAndProgram,
      findAffiliateAndProgram,
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
