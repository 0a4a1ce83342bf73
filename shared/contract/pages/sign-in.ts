import * as z from 'zod';
import { webPage } from '../page.ts';

const area = { function: 'web-sign-in', auth: 'none' } as const;

const showStart = webPage({ ...area, id: 'showStart', method: 'GET', path: '/', needs: ['sessions:use'] });

/** Its address changes with its content, so that browsers can keep it. */
const readStyle = webPage({ ...area, id: 'readStyle', method: 'GET', path: '/style/{version}', needs: [] });

const readAccentStyle = webPage({
  ...area,
  id: 'readAccentStyle',
  method: 'GET',
  path: '/style/{version}/{color}',
  needs: [],
});

/** For copy buttons and suggestions. Its address changes with its content, too. */
const readScript = webPage({ ...area, id: 'readScript', method: 'GET', path: '/script/{version}', needs: [] });

const signIn = webPage({
  ...area,
  id: 'signIn',
  method: 'GET',
  path: '/sign-in',
  query: z.object({
    /** `login` makes the identity provider ask again. */
    prompt: z.literal('login').optional(),
    returnTo: z.string().optional(),
  }),
  needs: ['sessions:use', 'sign-in:use'],
});

/** The OpenID Connect library checks what the provider appends. */
const finishSignIn = webPage({
  ...area,
  id: 'finishSignIn',
  method: 'GET',
  path: '/sign-in/callback',
  needs: ['sessions:use', 'sign-in:use', 'accounts:change'],
});

const signOut = webPage({
  ...area,
  id: 'signOut',
  method: 'POST',
  path: '/sign-out',
  auth: 'session',
  isAlwaysAllowed: true,
  form: z.strictObject({}),
  needs: ['sign-in:use', 'accounts:change'],
});

const confirmSignOutEverywhere = webPage({
  ...area,
  id: 'confirmSignOutEverywhere',
  method: 'GET',
  path: '/sign-out/everywhere',
  auth: 'session',
  needs: [],
});

const signOutEverywhere = webPage({
  ...area,
  id: 'signOutEverywhere',
  method: 'POST',
  path: '/sign-out/everywhere',
  auth: 'session',
  isAlwaysAllowed: true,
  form: z.strictObject({}),
  needs: ['sign-in:use', 'accounts:change'],
});

export const signInPages = [
  showStart,
  readStyle,
  readAccentStyle,
  readScript,
  signIn,
  finishSignIn,
  signOut,
  confirmSignOutEverywhere,
  signOutEverywhere,
] as const;
