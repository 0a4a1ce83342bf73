import { getProgram } from '../../shared/domain/programs/repository.ts';
import { portalPath } from '../../shared/web/pages/portal-path.ts';
import { type Browser, openBrowser, type Visit } from './browser.ts';
import type { Api } from './program.ts';

/** The token of an address that signs an affiliate in, from the API. */
export const portalToken = async (api: Pick<Api, 'post'>, affiliateId: string): Promise<string> => {
  const { body } = await api.post('/portal-links', { affiliateId });
  return new URL(body.url).searchParams.get('token') ?? '';
};

export const pathOfPortal = async (programId: string): Promise<string> => portalPath(await getProgram(programId));

/** Sends the form that uses a link up. */
const useLink = (
  browser: Browser,
  path: string,
  token: string,
  headers: Record<string, string> = { origin: new URL(browser.base).origin },
): Promise<Visit> => browser.post(`${path}/sign-in`, { token }, headers);

/** A browser in which an affiliate is signed in to the portal, beside what else it has. */
export const enterPortal = async (
  api: Pick<Api, 'post' | 'programId'>,
  affiliateId: string,
  browser = openBrowser(),
): Promise<Browser> => {
  const path = await pathOfPortal(api.programId);
  const { status, location, text } = await useLink(browser, path, await portalToken(api, affiliateId));
  if (status !== 303 || location?.pathname !== `${path}/overview`) throw new Error(`Signing in failed: ${text}`);
  return browser;
};
