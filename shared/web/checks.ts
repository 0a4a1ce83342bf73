import { ApiError } from '../contract/errors.ts';
import { isLimitedPage, isOfProgram, roleOf, usesSession } from '../contract/page.ts';
import { includesRole, type Role } from '../contract/roles.ts';
import type { StoredAffiliate } from '../domain/affiliates/rules.ts';
import { type Account, getAccount } from '../domain/programs/accounts.ts';
import { countForm, countFormRecords, countPage } from '../domain/programs/form-limit.ts';
import { memberIdOf, members, roleIn } from '../domain/programs/members.ts';
import { programs, type StoredProgram } from '../domain/programs/repository.ts';
import { type HttpEvent, methodOf, type RequestState } from '../http/pipeline.ts';
import { findMethod } from '../http/route.ts';
import type { DocumentOf } from './components/layout.tsx';
import { planSentence } from './components/plan.tsx';
import { formFieldsOf } from './forms/form-fields.ts';
import type { ServedPage } from './handlers.ts';
import { appUrl } from './session/app-url.ts';
import { readCookies } from './session/cookies.ts';
import type { PortalSession } from './session/portal-session.ts';
import { isCsrfTokenOf, isEarlierFormOf, isSignedIn, readSession, type Session } from './session/session.ts';

/** What a page has of who asks: a member with an account, or an affiliate. */
export interface WebState extends RequestState {
  pages: readonly ServedPage[];
  parameters: Readonly<Record<string, string>>;
  documentOf: DocumentOf;
  served?: ServedPage;
  session?: Session | undefined;
  portalSession?: PortalSession | undefined;
  affiliate?: StoredAffiliate;
  /** Whether a page of another site shows this one. */
  isFramed?: boolean;
  account?: Account;
  program?: StoredProgram;
  role?: Role;
  fields?: Record<string, string>;
  /** Rejects a page beyond the account's limit. */
  counting?: Promise<void>;
  /** A form of an earlier session of the same person: it is shown again, and changes nothing. */
  isFromEarlierSession?: boolean;
  formKey?: string | undefined;
}

export type WebEvent = HttpEvent<WebState>;

/** Redirects to the sign-in, which returns to the page. */
export class SignInRequired extends ApiError {
  constructor() {
    super('session_ended');
  }
}

export const choosePage = (event: WebEvent): void => {
  if (event.state.pages.length === 0) throw new ApiError('path_not_found', 'This page does not exist.');
  event.state.served = findMethod(
    event.state.pages,
    methodOf(event),
    () => 'This page does not accept requests of this kind.',
  );
};

/** A form of ours, whose fields are kept in the page that asks to sign in. */
export class SessionEndedBeforeForm extends ApiError {
  readonly fields: Readonly<Record<string, string>>;

  constructor(fields: Readonly<Record<string, string>>) {
    super('session_ended');
    this.fields = fields;
  }
}

/** Browsers name the origin of every form, so that no other site can have us repeat its fields. */
const isOwnForm = ({ headers }: WebEvent): boolean => headers.origin === appUrl().origin;

const refuseWithoutSession = (event: WebEvent, { declared: page }: ServedPage): void => {
  if (page.auth !== 'session') return;
  if (page.method === 'GET') throw new SignInRequired();
  throw isOwnForm(event) ? new SessionEndedBeforeForm(formFieldsOf(event)) : new ApiError('session_ended');
};

/** Whether the session was ended is known once the account is read, together with the program. */
export const findSession = async (event: WebEvent): Promise<void> => {
  const { served, now } = event.state;
  if (!served || !usesSession(served.declared)) return;
  event.state.session = await readSession(readCookies(event).get('session'), now);
  if (!event.state.session) refuseWithoutSession(event, served);
};

/** By the CSRF token and the browser's Origin and Sec-Fetch-Site. */
export const checkOriginOfForm = async (event: WebEvent): Promise<void> => {
  const { served, session, portalSession } = event.state;
  if (served?.declared.method !== 'POST') return;
  const { origin, 'sec-fetch-site': site } = event.headers;
  if (origin !== undefined && origin !== appUrl().origin) throw new ApiError('form_not_ours');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new ApiError('form_not_ours');
  const { csrfToken, formKey, ...fields } = formFieldsOf(event);
  Object.assign(event.state, { fields, formKey });
  // Nobody is signed in yet: that the browser names us as the origin is all there is.
  if (served.declared.auth === 'none' && isOwnForm(event)) return;
  if (portalSession && isCsrfTokenOf(portalSession, csrfToken)) return;
  if (!session) throw new ApiError('form_not_ours');
  const isFromEarlierSession = !isCsrfTokenOf(session, csrfToken);
  if (isFromEarlierSession && !(isOwnForm(event) && (await isEarlierFormOf(session.email, csrfToken))))
    throw new ApiError('form_not_ours');
  event.state.isFromEarlierSession = isFromEarlierSession;
};

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const findAccountAndProgram = async (event: WebEvent): Promise<void> => {
  const { served, session, parameters } = event.state;
  if (!served || !session) return;
  const { programId = '' } = parameters;
  const isRead = isOfProgram(served.declared) && uuidForm.test(programId);
  const [account, program, member] = await Promise.all([
    getAccount(session.email),
    isRead ? programs.get(programId, programId) : undefined,
    isRead ? members.get(programId, memberIdOf(session.email)) : undefined,
  ]);
  if (!isSignedIn(session, account)) {
    delete event.state.session;
    refuseWithoutSession(event, served);
    return;
  }
  event.state.account = account;
  const role = program && roleIn(program, session.email, member);
  // Only members may see the name of a program.
  if (role) Object.assign(event.state, { program, role });
};

/** Whose forms and pages are counted together. No email is like that of an affiliate. */
const countedAs = ({ account, affiliate }: WebState): string | undefined =>
  account?.email ?? (affiliate && `AFFILIATE#${affiliate.id}`);

/** Signing out is not limited, so that nobody can prevent it by using up the limit. */
export const limitForms = async ({ state }: WebEvent): Promise<void> => {
  const { served, now } = state;
  const sender = countedAs(state);
  if (served?.declared.method !== 'POST' || !sender || served.declared.isAlwaysAllowed) return;
  await countForm(sender, now);
};

export const limitRecords = async ({ state }: WebEvent, amount: number | undefined): Promise<void> => {
  const sender = countedAs(state);
  if (sender && amount !== undefined) await countFormRecords(sender, amount, state.now);
};

/** Beside the page, which is not shown beyond the limit. */
export const countPages = ({ state }: WebEvent): void => {
  const { served, now } = state;
  const reader = countedAs(state);
  if (!served || !reader || !isLimitedPage(served.declared)) return;
  state.counting = countPage(reader, now);
  // Whoever responds waits for it.
  state.counting.catch(() => undefined);
};

/** See docs/behavior.md#isolation */
export const checkProgram = (event: WebEvent): void => {
  const { served, program, parameters } = event.state;
  if (!served || !isOfProgram(served.declared)) return;
  if (!program) throw new ApiError('program_not_found');
  // Every id is a UUID.
  const ids = Object.entries(parameters).filter(([name]) => name.endsWith('Id'));
  if (!ids.every(([, id]) => uuidForm.test(id))) throw new ApiError('not_found');
};

export const checkRole = ({ state: { served, role, pages } }: WebEvent): void => {
  if (!served || !role) return;
  const needed = roleOf(
    served.declared,
    pages.map(({ declared }) => declared),
  );
  if (!includesRole(role, needed)) throw new ApiError('role_without_access');
};

/** The plan of the program's owner, or of the signed-in account on pages without a program. */
export const checkPlan = (event: WebEvent): void => {
  const { served, account, program } = event.state;
  const plan = program?.plan ?? account?.plan;
  if (served?.declared.requiredPlan && plan && plan !== served.declared.requiredPlan)
    throw new ApiError('plan_without_access', planSentence(!program || program.ownerEmail === account?.email));
};
