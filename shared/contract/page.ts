import type * as z from 'zod';
import type { Need } from './needs.ts';

/**
 * One page of the web application, or one action of a form on it. Like an operation it exists once: the route, the
 * Lambda behind it, its environment and permissions, parsing, and the security tests are read from this value.
 */
export interface WebPage {
  /** Unique, in the form of a verb and a noun: `showPrograms`. */
  readonly id: string;
  /** GET shows a page and changes nothing; POST is an action of a form, and has a CSRF token where there is a session. */
  readonly method: 'GET' | 'POST';
  /** Below the application's address. `{programId}` is a program of the signed-in account, or the answer is 404. */
  readonly path: `/${string}`;
  /** `session`: for signed-in people alone; others are asked to sign in and come back. */
  readonly auth: 'session' | 'none';
  /** The Lambda, and its file in `functions/`, that serves this page with others of its area. */
  readonly function: `web-${string}`;
  /** Of the address. What it does not name is ignored. */
  readonly query?: z.ZodObject;
  /** The fields of a POST, without the CSRF token. A field left empty is absent. */
  readonly form?: z.ZodObject;
  /** Refused with 403 on any other plan: what belongs to API access. */
  readonly requiredPlan?: 'BUSINESS';
  /** A form that the account's limit of forms never refuses. */
  readonly isAlwaysAllowed?: true;
  /** What its Lambda may touch, and so its IAM policy and environment. */
  readonly needs: readonly Need[];
}

/** Declares a page and keeps its precise types. */
export const webPage = <const P extends WebPage>(value: P): P => value;

/** The names of a path's parameters: `programId` and `keyId` in `/programs/{programId}/api-keys/{keyId}`. */
export type ParametersOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParametersOf<Rest>
  : never;

/** True for pages of one program, which must be the account's own. */
export const isOfProgram = ({ path }: Pick<WebPage, 'path'>): boolean => path.includes('{programId}');

/** True for pages that ask who is signed in, whether somebody must be or not. */
export const usesSession = ({ auth, needs }: Pick<WebPage, 'auth' | 'needs'>): boolean =>
  auth === 'session' || needs.includes('sessions:use');

/** Everything that the Lambda of a page may do: what it needs itself, and what the stack around it needs. */
export const allNeedsOfPage = (
  page: Pick<WebPage, 'auth' | 'method' | 'path' | 'query' | 'needs' | 'isAlwaysAllowed'>,
): readonly Need[] => [
  ...page.needs,
  'web:serve',
  ...(page.query && 'cursor' in page.query.shape ? (['cursors:sign'] as const) : []),
  ...(usesSession(page) ? (['sessions:use', 'accounts:read'] as const) : []),
  ...(page.method === 'POST' && !page.isAlwaysAllowed ? (['forms:change'] as const) : []),
  ...(isOfProgram(page) ? (['PROGRAM:read'] as const) : []),
];
