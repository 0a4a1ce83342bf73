import * as z from 'zod';
import { webPage } from '../page.ts';

const area = { function: 'web-sign-in', auth: 'none' } as const;

export const showStart = webPage({ ...area, id: 'showStart', method: 'GET', path: '/', needs: ['sessions:use'] });

/** Named by its content, so that browsers keep it for good. */
export const readStyle = webPage({ ...area, id: 'readStyle', method: 'GET', path: '/style/{version}', needs: [] });

export const signIn = webPage({
  ...area,
  id: 'signIn',
  method: 'GET',
  path: '/sign-in',
  query: z.object({
    /** `login` lets the identity provider ask who it is, also where somebody is signed in there. */
    prompt: z.literal('login').optional(),
    /** The page to come back to, encrypted by us. */
    returnTo: z.string().optional(),
  }),
  needs: ['sessions:use', 'sign-in:use', 'sign-ins:create'],
});

/** Where the identity provider sends people back to. What it appends is checked by the OpenID Connect library. */
export const finishSignIn = webPage({
  ...area,
  id: 'finishSignIn',
  method: 'GET',
  path: '/sign-in/callback',
  needs: ['sessions:use', 'sign-in:use', 'sign-ins:read', 'accounts:change'],
});

export const signOut = webPage({
  ...area,
  id: 'signOut',
  method: 'POST',
  path: '/sign-out',
  auth: 'session',
  isAlwaysAllowed: true,
  form: z.strictObject({}),
  needs: ['sign-in:use', 'accounts:change'],
});

export const confirmSignOutEverywhere = webPage({
  ...area,
  id: 'confirmSignOutEverywhere',
  method: 'GET',
  path: '/sign-out/everywhere',
  auth: 'session',
  needs: [],
});

export const signOutEverywhere = webPage({
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
  signIn,
  finishSignIn,
  signOut,
  confirmSignOutEverywhere,
  signOutEverywhere,
] as const;
