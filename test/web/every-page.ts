import { randomUUID } from 'node:crypto';
import type { WebPage } from '../../shared/contract/page.ts';
import { pages } from '../../shared/contract/pages/pages.ts';
import { createApiKey, listApiKeys } from '../../shared/programs/api-keys.ts';
import { connectorToken } from '../../shared/programs/connection.ts';
import { createProgram } from '../../shared/programs/programs.ts';
import { findConnection } from '../../shared/programs/repository.ts';
import { type Browser, freshEmail, signedIn } from '../support/browser.ts';
import '../support/program.ts';

/** Somebody who is signed in, with a program, a key and a connection. */
export interface WebWorld {
  email: string;
  browser: Browser;
  programId: string;
  keyId: string;
}

/** Text that would end an attribute, a tag or a paragraph, and begin a script. */
export const hostileName = `"><script>alert('x')</script><img src=x onerror=alert(1)>'{{7*7}}`;

/** A world in which everything has this name: one that would be a script if it were not text, unless a test chooses. */
export const makeWebWorld = async (name = hostileName): Promise<WebWorld> => {
  const email = freshEmail();
  const now = new Date();
  const { programId } = await createProgram({ name, ownerEmail: email }, now);
  const { keyId } = await createApiKey(programId, name, now);
  await connectorToken(programId, name, now);
  return { email, browser: await signedIn(email), programId, keyId };
};

const platformAddress = 'http://127.0.0.1:1/callback';

interface PageRequest {
  parameters?: Record<string, string>;
  query?: Record<string, string>;
  form?: Record<string, string>;
}

/** A request of each page that its own account may make: a new page has no tests until it has one here. */
const freshRequests: Record<string, (world: WebWorld) => PageRequest> = {
  showStart: () => ({}),
  readStyle: () => ({ parameters: { version: 'any' } }),
  signIn: () => ({}),
  finishSignIn: () => ({ query: { code: 'x', state: 'x' } }),
  signOut: () => ({ form: {} }),
  showPrograms: () => ({}),
  showNewProgram: () => ({}),
  addProgram: () => ({ form: { name: 'Another', currency: 'EUR', commissionRate: '10' } }),
  showProgram: ({ programId }) => ({ parameters: { programId } }),
  showApiKeys: ({ programId }) => ({ parameters: { programId } }),
  addApiKey: ({ programId }) => ({ parameters: { programId }, form: { name: 'Another' } }),
  showApiKey: ({ programId, keyId }) => ({ parameters: { programId, keyId } }),
  confirmApiKeyDeletion: ({ programId, keyId }) => ({ parameters: { programId, keyId } }),
  removeApiKey: ({ programId, keyId }) => ({ parameters: { programId, keyId }, form: {} }),
  showConnectedApps: ({ programId }) => ({ parameters: { programId } }),
  confirmDisconnection: ({ programId }) => ({ parameters: { programId } }),
  disconnectApps: ({ programId }) => ({ parameters: { programId }, form: {} }),
  chooseProgram: () => ({
    parameters: { platform: 'automation' },
    query: { redirect_uri: platformAddress, state: randomUUID() },
  }),
  connectProgram: ({ programId }) => ({
    parameters: { platform: 'automation' },
    form: { redirect_uri: platformAddress, state: randomUUID(), programId },
  }),
};

/** The address and the fields of a request of a page. */
export const requestOf = (page: WebPage, world: WebWorld): { address: string; form: Record<string, string> } => {
  const make = freshRequests[page.id];
  if (!make) throw new Error(`test/web/every-page.ts has no request for ${page.id}`);
  const { parameters = {}, query, form = {} } = make(world);
  const path = page.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
  return { address: query ? `${path}?${new URLSearchParams(query)}` : path, form };
};

export const shownPages = pages.filter(({ method }) => method === 'GET');
export const actions = pages.filter(({ method }) => method === 'POST');

/** What an account has: changes by whatever an action does. */
export const stateOf = async ({ browser, programId }: WebWorld): Promise<unknown> => ({
  programs: (await browser.visit('/programs')).text.replaceAll(/name="csrfToken" value="[^"]+"/g, ''),
  keys: await listApiKeys(programId),
  connection: await findConnection(programId),
});
