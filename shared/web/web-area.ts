import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type * as z from 'zod';
import { ApiError } from '../contract/errors.ts';
import { isOfProgram, type ParametersOf, usesSession, type WebPage } from '../contract/page.ts';
import { validationError } from '../contract/validation-error.ts';
import { type Account, getAccount } from '../domain/programs/accounts.ts';
import { countForm } from '../domain/programs/form-limit.ts';
import { programs, type StoredProgram } from '../domain/programs/repository.ts';
import { logFailure } from '../http/log.ts';
import { refuseDamagedText } from '../http/parsing.ts';
import { unavailableErrorFor, withRetryDeadline } from '../platform/table/retry-transient.ts';
import { addressOf, appUrl } from './app-url.ts';
import type { Filled } from './controls.tsx';
import { readCookies } from './cookies.ts';
import { entriesOf, formFieldsOf, withoutEmpty } from './form-fields.ts';
import { problemView } from './pages/problem.tsx';
import { signInPath } from './pending-sign-in.ts';
import { planSentence } from './plan.tsx';
import { redirect, type View, type WebResponse, webResponse } from './responses.ts';
import { isCsrfTokenOf, isSignedIn, readSession, type Session } from './session.ts';

type OutputOf<Schema> = Schema extends z.ZodObject ? z.output<Schema> : Record<string, never>;

/** The account comes from the session, never from the request. */
interface WebRequest<P extends WebPage> {
  session: P['auth'] extends 'session' ? Session : Session | undefined;
  account: P['auth'] extends 'session' ? Account : Account | undefined;
  program: P['path'] extends `${string}{programId}${string}` ? StoredProgram : undefined;
  parameters: Record<ParametersOf<P['path']>, string>;
  query: OutputOf<P['query']>;
  form: OutputOf<P['form']>;
  cookies: ReadonlyMap<string, string>;
  address: string;
  now: Date;
}

type AnyRequest = Omit<WebRequest<WebPage>, 'program' | 'parameters'> & {
  program: StoredProgram | undefined;
  parameters: Record<string, string>;
};

type PageHandler<P extends WebPage> = (request: WebRequest<P>) => Promise<WebResponse> | WebResponse;

/** If the input is refused, the page with the form is shown again with what was entered. */
interface FormHandler<P extends WebPage> {
  submit: PageHandler<P>;
  showAgain: (request: Omit<WebRequest<P>, 'form' | 'query'>, filled: Filled) => Promise<View> | View;
}

/** One handler per page, by its id, with the types of that page. */
export type PageHandlersOf<Pages extends readonly WebPage[]> = {
  readonly [Id in Pages[number]['id']]:
    | PageHandler<Extract<Pages[number], { id: Id }>>
    | FormHandler<Extract<Pages[number], { id: Id }>>;
};

type IsUnion<Type, Each = Type> = Type extends unknown ? ([Each] extends [Type] ? false : true) : never;
/** Cannot be satisfied if the pages belong to more than one Lambda. */
type ServedByOneFunction<Pages extends readonly WebPage[]> =
  true extends IsUnion<Pages[number]['function']>
    ? { readonly error: 'These pages belong to more than one Lambda' }
    : unknown;

interface ServedPage {
  page: WebPage;
  handle: (request: AnyRequest) => Promise<WebResponse> | WebResponse;
  again?: (request: AnyRequest, filled: Filled) => Promise<View> | View;
}

type UntypedHandler = ServedPage['handle'] | { submit: ServedPage['handle']; showAgain: ServedPage['again'] };

const serve = (pages: readonly WebPage[], handlers: object): ServedPage[] => {
  // Safe: the types demand a handler per page, and the stack finds session, program and fields by the page's value.
  const byId = new Map<string, UntypedHandler>(Object.entries(handlers));
  return pages.map((page) => {
    const handler = byId.get(page.id);
    if (!handler) throw new Error(`${page.id} has no handler`);
    if (typeof handler === 'function') return { page, handle: handler };
    return { page, handle: handler.submit, ...(handler.showAgain && { again: handler.showAgain }) };
  });
};

/** Thrown by a public page that needs a sign-in after all. */
export class SignInRequired extends Error {
  override name = 'SignInRequired';
}

interface State {
  now: Date;
  served?: ServedPage;
  session?: Session | undefined;
  account?: Account | undefined;
  program?: StoredProgram | undefined;
  fields?: Record<string, string>;
}

type Event = APIGatewayProxyEventV2 & { state: State };
type Middleware = MiddlewareObj<Event, APIGatewayProxyStructuredResultV2>;

/** `..` in the decoded path may leave two leading slashes, which a browser would read as a host. */
const addressOfEvent = ({ rawPath, rawQueryString }: Event): string => {
  const { pathname, search } = addressOf(rawQueryString ? `${rawPath}?${rawQueryString}` : rawPath);
  return `${pathname.replace(/^\/+/, '/')}${search}`;
};

const respondAs = (event: Event, response: WebResponse): APIGatewayProxyStructuredResultV2 => {
  const { session, program } = event.state;
  const result = webResponse(response, { session, program, path: event.rawPath });
  return { ...result, headers: { ...result.headers, 'x-request-id': event.requestContext.requestId } };
};

/** The outermost middleware: every failure becomes a page. */
const respondToProblems = (): Middleware => ({
  before: ({ event }) => {
    event.state = { now: new Date() };
  },
  onError: async (request) => {
    const { error, event } = request;
    if (error instanceof SignInRequired) {
      request.response = respondAs(event, redirect(await signInPath(addressOfEvent(event))));
      return;
    }
    const failure = unavailableErrorFor(error) ?? error;
    const problem = failure instanceof ApiError ? failure : new ApiError('internal', undefined, { cause: failure });
    if (problem.status >= 500) logFailure(problem, event.requestContext);
    request.response = respondAs(event, problemView(problem));
  },
});

/** HEAD is a GET without its body. */
const choosePage = (served: readonly ServedPage[]): Middleware => ({
  before: ({ event }) => {
    const { method } = event.requestContext.http;
    const path = event.routeKey.slice(event.routeKey.indexOf(' ') + 1);
    const here = served.filter(({ page }) => page.path === path);
    const found = here.find(({ page }) => page.method === (method === 'HEAD' ? 'GET' : method));
    if (!found) {
      const allow = here.map(({ page }) => page.method).join(', ');
      throw new ApiError('method_not_allowed', 'This address does not take requests of this kind', {
        headers: { allow },
      });
    }
    event.state.served = found;
  },
});

const refuseWithoutSession = ({ page }: ServedPage): void => {
  if (page.auth !== 'session') return;
  if (page.method === 'GET') throw new SignInRequired();
  throw new ApiError('session_ended');
};

/** The account, read together with the program, tells whether it was ended. */
const findSession = (): Middleware => ({
  before: async ({ event }) => {
    const { served, now } = event.state;
    if (!served || !usesSession(served.page)) return;
    event.state.session = await readSession(readCookies(event).get('session'), now);
    if (!event.state.session) refuseWithoutSession(served);
  },
});

/** By the CSRF token and the browser's Origin and Sec-Fetch-Site. */
const checkOriginOfForm = (): Middleware => ({
  before: ({ event }) => {
    const { served, session } = event.state;
    if (served?.page.method !== 'POST') return;
    const { origin, 'sec-fetch-site': site } = event.headers;
    if (origin !== undefined && origin !== appUrl().origin) throw new ApiError('form_not_ours');
    if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new ApiError('form_not_ours');
    const { csrfToken, ...fields } = formFieldsOf(event);
    if (!session || !isCsrfTokenOf(session, csrfToken)) throw new ApiError('form_not_ours');
    event.state.fields = fields;
  },
});

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const findAccountAndProgram = (): Middleware => ({
  before: async ({ event }) => {
    const { served, session } = event.state;
    if (!served || !session) return;
    const programId = event.pathParameters?.programId ?? '';
    const isRead = isOfProgram(served.page) && uuidForm.test(programId);
    const [account, program] = await Promise.all([
      getAccount(session.email),
      isRead ? programs.get(programId, programId) : undefined,
    ]);
    if (!isSignedIn(session, account)) {
      delete event.state.session;
      refuseWithoutSession(served);
      return;
    }
    event.state.account = account;
    // A page never shows the name of another account's program.
    if (program?.ownerEmail === session.email) event.state.program = program;
  },
});

/** Signing out is not limited: nobody else with a session may keep its owner from ending it. */
const limitForms = (): Middleware => ({
  before: async ({ event }) => {
    const { served, account, now } = event.state;
    if (served?.page.method !== 'POST' || !account || served.page.isAlwaysAllowed) return;
    await countForm(account.email, now);
  },
});

/** See docs/behavior.md#isolation */
const checkProgram = (): Middleware => ({
  before: ({ event }) => {
    const { served, program } = event.state;
    if (!served || !isOfProgram(served.page)) return;
    if (!program) throw new ApiError('program_not_found');
    // An id in another form names nothing.
    const ids = Object.entries(event.pathParameters ?? {}).filter(([name]) => name.endsWith('Id'));
    if (!ids.every(([, id]) => uuidForm.test(id ?? ''))) throw new ApiError('not_found');
  },
});

const checkPlan = (): Middleware => ({
  before: ({ event }) => {
    const { served, account } = event.state;
    if (served?.page.requiredPlan && account && account.plan !== served.page.requiredPlan)
      throw new ApiError('plan_without_access', planSentence);
  },
});

const parse = (schema: z.ZodObject | undefined, input: Record<string, string>): Record<string, unknown> => {
  if (!schema) return {};
  refuseDamagedText(input);
  const result = schema.safeParse(input);
  if (!result.success) throw validationError(result.error, input, 'field');
  return result.data;
};

const withoutName = (message: string, name: string): string => {
  const rest = message.startsWith(`${name} `) ? message.slice(name.length + 1) : message;
  return `${rest.slice(0, 1).toUpperCase()}${rest.slice(1)}`;
};

const filledWith = (values: Record<string, string>, problem: ApiError, form: z.ZodObject | undefined): Filled => {
  const details = problem.details ?? [];
  const areFields = details.length > 0 && details.every(({ path }) => form && Object.hasOwn(form.shape, path));
  return {
    values,
    errors: Object.fromEntries(details.map(({ path, message }) => [path, withoutName(message, path)])),
    message: areFields ? 'Please look at the fields below.' : problem.message,
  };
};

const run = async (event: Event): Promise<APIGatewayProxyStructuredResultV2> => {
  const { served, session, account, program, now, fields = {} } = event.state;
  if (!served) throw new Error('No page was chosen');
  const { page, handle, again } = served;
  const common = {
    session,
    account,
    program,
    parameters: Object.fromEntries(
      Object.entries(event.pathParameters ?? {}).map(([name, value]) => [name, value ?? '']),
    ),
    cookies: readCookies(event),
    address: addressOfEvent(event),
    now,
  } as Omit<AnyRequest, 'query' | 'form'>;
  try {
    const query = parse(page.query, entriesOf(event.rawQueryString)) as AnyRequest['query'];
    const form = parse(page.form, withoutEmpty(fields)) as AnyRequest['form'];
    return respondAs(event, await handle({ ...common, query, form }));
  } catch (error) {
    if (!again || !(error instanceof ApiError) || error.status >= 500) throw error;
    const shown = await again({ ...common, query: {}, form: {} } as AnyRequest, filledWith(fields, error, page.form));
    return respondAs(event, { ...shown, status: error.status });
  }
};

/** The Lambda of one area of the web application (API Gateway payload 2.0). A forgotten handler does not compile. */
export const webArea = <const Pages extends readonly WebPage[]>(
  pages: Pages & ServedByOneFunction<Pages>,
  handlers: PageHandlersOf<Pages>,
) =>
  middy<Event, APIGatewayProxyStructuredResultV2>()
    .use(respondToProblems())
    .use(choosePage(serve(pages, handlers)))
    .use(findSession())
    .use(checkOriginOfForm())
    .use(findAccountAndProgram())
    .use(limitForms())
    .use(checkProgram())
    .use(checkPlan())
    .handler((event) => withRetryDeadline(() => run(event)));
