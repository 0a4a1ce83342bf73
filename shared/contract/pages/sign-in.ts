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
  /** `login` lets the identity provider ask who it is, also where somebody is signed in there. */
  query: z.object({ prompt: z.literal('login').optional() }),
  needs: ['sessions:use', 'sign-in:use'],
});

/** Where the identity provider sends people back to. What it appends is checked by the OpenID Connect library. */
export const finishSignIn = webPage({
  ...area,
  id: 'finishSignIn',
  method: 'GET',
  path: '/sign-in/callback',
  needs: ['sessions:use', 'sign-in:use', 'accounts:change'],
});

export const signOut = webPage({
  ...area,
  id: 'signOut',
  method: 'POST',
  path: '/sign-out',
  auth: 'session',
  form: z.strictObject({}),
  needs: ['sign-in:use'],
});

export const signInPages = [showStart, readStyle, signIn, finishSignIn, signOut] as const;
