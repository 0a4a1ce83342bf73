import type * as z from 'zod';
import type { ParametersOf, WebPage } from '../contract/page.ts';
import type { StoredAffiliate } from '../domain/affiliates/rules.ts';
import type { Account } from '../domain/programs/accounts.ts';
import type { StoredProgram } from '../domain/programs/repository.ts';
import type { Served } from '../http/route.ts';
import type { Filled } from './components/controls.tsx';
import type { View, WebResponse } from './responses.ts';
import type { PortalSession } from './session/portal-session.ts';
import type { Session } from './session/session.ts';

type OutputOf<Schema> = Schema extends z.ZodObject ? z.output<Schema> : Record<string, never>;

/** Who a page is shown to, by its `auth`. */
interface Readers {
  session: { session: Session; account: Account };
  affiliate: { session: PortalSession; affiliate: StoredAffiliate };
  /** `portalSession` may have ended. */
  none: { session: Session | undefined; account: Account | undefined; portalSession: PortalSession | undefined };
}

/** Account and affiliate come from the session, never from the request. */
type WebRequest<P extends WebPage> = PageRequest<P> & Readers[P['auth']];

interface PageRequest<P extends WebPage> {
  program: P['path'] extends `${string}{${'programId' | 'handle'}}${string}` ? StoredProgram : undefined;
  parameters: Record<ParametersOf<P['path']>, string>;
  query: OutputOf<P['query']>;
  form: OutputOf<P['form']>;
  entered: Readonly<Record<string, string>>;
  cookies: ReadonlyMap<string, string>;
  address: string;
  isFramed: boolean;
  sourceIp: string;
  requestId: string;
  now: Date;
}

export type AnyRequest = Omit<PageRequest<WebPage>, 'program' | 'parameters'> & {
  session: Session | PortalSession | undefined;
  account: Account | undefined;
  affiliate: StoredAffiliate | undefined;
  portalSession: PortalSession | undefined;
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

type UntypedHandler = (request: AnyRequest) => Promise<WebResponse> | WebResponse;

type UntypedFormHandler = {
  submit: UntypedHandler;
  showAgain: (request: AnyRequest, filled: Filled) => Promise<View> | View;
};

export type ServedPage = Served<WebPage, UntypedHandler | UntypedFormHandler>;
