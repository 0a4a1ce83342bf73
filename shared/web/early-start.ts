import { isDeepStrictEqual } from 'node:util';
import { isOfProgram, type WebPage } from '../contract/page.ts';
import type { HttpResponse } from '../http/pipeline.ts';
import type { WebEvent, WebState } from './checks.ts';

type Identity =
  | Required<Pick<WebState, 'account' | 'program' | 'role'>>
  | Required<Pick<WebState, 'affiliate' | 'program'>>;

const identityOf = ({ account, affiliate, program, role }: WebState): Identity | undefined => {
  if (!program) return undefined;
  if (affiliate) return { affiliate, program };
  return account && role ? { account, program, role } : undefined;
};

/** The result of the last checks, by person and program. */
const remembered = new Map<string, Identity>();
const maxRemembered = 200;

/** A page that records who saw it must not write before the checks have passed. */
const onlyReads = ({ method, needs }: WebPage): boolean =>
  method === 'GET' && !needs.some((need) => need.endsWith(':change'));

/** Undefined for what writes, and for pages without a program. */
const keyOf = ({ state: { served, session, portalSession, parameters } }: WebEvent): string | undefined => {
  if (!served || !onlyReads(served.declared) || !isOfProgram(served.declared)) return undefined;
  if (session) return `${session.email} ${parameters.programId}`;
  const isForAffiliate = portalSession && served.declared.auth === 'affiliate';
  return isForAffiliate ? `${portalSession.affiliateId} ${portalSession.programId}` : undefined;
};

const remember = (key: string, identity: Identity): void => {
  remembered.delete(key);
  remembered.set(key, identity);
  const [oldest] = remembered.keys();
  if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest);
};

/**
 * Saves a round trip: a warm function renders a page for the account, program and role that the last checks found, while
 * the checks of this request run. The result is used only if they pass and find the same.
 */
export const withEarlyStart = (run: (event: WebEvent) => Promise<HttpResponse>) => {
  const early = new WeakMap<WebEvent, { identity: Identity; response: Promise<HttpResponse> }>();
  return {
    start: (event: WebEvent): void => {
      const identity = remembered.get(keyOf(event) ?? '');
      if (!identity) return;
      const response = run({ ...event, state: { ...event.state, ...identity } });
      // Not awaited if a check refuses the request.
      response.catch(() => undefined);
      early.set(event, { identity, response });
    },
    finish: (event: WebEvent): Promise<HttpResponse> => {
      const [key, identity, started] = [keyOf(event), identityOf(event.state), early.get(event)];
      if (key && identity) remember(key, identity);
      return started && isDeepStrictEqual(started.identity, identity) ? started.response : run(event);
    },
  };
};
