import type * as z from 'zod';
import { countedKinds, type Need } from './needs.ts';
import type { Role } from './roles.ts';

/** One page of the web application, or one form action. Everything about it is derived from this value. */
export interface WebPage {
  readonly id: string;
  /** A GET changes nothing; a POST has a CSRF token. */
  readonly method: 'GET' | 'POST';
  /** `{programId}` is a program of the signed-in account, and `{handle}` one with a portal, otherwise 404. */
  readonly path: `/${string}`;
  /** Who may open it: a member, an affiliate in the portal, or anybody. */
  readonly auth: 'session' | 'affiliate' | 'none';
  readonly function: `web-${string}`;
  /** Unknown parameters are ignored. */
  readonly query?: z.ZodObject;
  /** Without the CSRF token. An empty field counts as absent, and a tick box without a tick is false. */
  readonly form?: z.ZodObject;
  /** An empty field is null where the form takes null: it removes what a record has. */
  readonly emptyRemoves?: true;
  /** A form that is sent twice creates once. */
  readonly creates?: true;
  /** How many records a form writes, if it may be more than one. */
  readonly writes?: (form: Record<string, unknown>) => number;
  readonly requiredPlan?: 'BUSINESS';
  /** Who may; if absent, managers what changes something and its forms, and viewers the rest. */
  readonly role?: Role;
  /** Not counted against the account's form limit. */
  readonly isAlwaysAllowed?: true;
  readonly needs: readonly Need[];
}

/** The query of a page as its handler gets it, such as the filters of a list. */
export type PageQuery<P extends { readonly query: z.ZodObject }> = z.output<P['query']>;

export const webPage = <const P extends WebPage>(value: P): P => value;

export type ParametersOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParametersOf<Rest>
  : never;

/** Of API Gateway: all pages below one section of a program, and of a portal, share a route, because a stack has 500 resources. */
export const routePathOfPage = ({ path }: Pick<WebPage, 'path'>): `/${string}` => {
  const section = /^\/(programs\/\{programId\}\/[^/]+|portal\/\{handle\})\/./.exec(path)?.[1];
  return section ? `/${section}/{page+}` : path;
};

export const isOfPortal = ({ path }: Pick<WebPage, 'path'>): boolean => path.startsWith('/portal/{handle}');

const isOfMembers = ({ path }: Pick<WebPage, 'path'>): boolean => path.includes('{programId}');

export const isOfProgram = (page: Pick<WebPage, 'path'>): boolean => isOfMembers(page) || isOfPortal(page);

/** `atAddress` are the pages at its path. */
export const roleOf = (page: Pick<WebPage, 'role'>, atAddress: readonly Pick<WebPage, 'method'>[]): Role =>
  page.role ?? (atAddress.some(({ method }) => method === 'POST') ? 'MANAGER' : 'VIEWER');

/** The session of a member. */
export const usesSession = (page: Pick<WebPage, 'auth' | 'needs' | 'path'>): boolean =>
  page.auth === 'session' || (!isOfPortal(page) && page.needs.includes('sessions:use'));

/** Counted against the limit of pages of the account or affiliate. */
export const isLimitedPage = ({ method, auth, needs }: Pick<WebPage, 'method' | 'auth' | 'needs'>): boolean =>
  method === 'GET' && (auth !== 'none' || needs.includes('accounts:read'));

/** Counted against the limit of forms of the account or affiliate, where one is known. */
const isLimitedForm = (page: Pick<WebPage, 'method' | 'auth' | 'path' | 'needs' | 'isAlwaysAllowed'>): boolean =>
  page.method === 'POST' && !page.isAlwaysAllowed && (page.auth === 'affiliate' || usesSession(page));

const createsRecords = ({ path, creates, needs }: Pick<WebPage, 'path' | 'creates' | 'needs'>): boolean =>
  creates === true && isOfProgram({ path }) && countedKinds.some((kind) => needs.includes(`${kind}:create`));

export const allNeedsOfPage = (
  page: Pick<WebPage, 'auth' | 'method' | 'path' | 'query' | 'needs' | 'isAlwaysAllowed' | 'creates'>,
): readonly Need[] => [
  ...page.needs,
  'web:serve',
  ...(page.query && 'cursor' in page.query.shape ? (['cursors:sign'] as const) : []),
  ...(usesSession(page) ? (['sessions:use', 'accounts:read'] as const) : []),
  ...(isOfPortal(page) ? (['sessions:use', 'PROGRAM:read', 'handles:read'] as const) : []),
  ...(page.auth === 'affiliate' ? (['AFFILIATE:read', 'PORTAL_SESSION:read'] as const) : []),
  ...(isLimitedForm(page) || isLimitedPage(page) ? (['forms:change'] as const) : []),
  ...(page.creates ? (['IDEMPOTENCY:change'] as const) : []),
  ...(createsRecords(page) ? (['records:count'] as const) : []),
  ...(isOfMembers(page) ? (['PROGRAM:read', 'MEMBER:read'] as const) : []),
];
