import * as z from 'zod';
import { uuid } from '../fields.ts';
import { webPage } from '../page.ts';

/** Platforms send other parameters too. docs/behavior.md#connecting-a-platform */
const authorization = {
  redirect_uri: z.string('is required').min(1, 'is required').max(1000),
  state: z.string('is required').min(1, 'is required').max(2000),
};

/** The form is sent to the page's own address, so that its parameters stay unchanged. */
const area = {
  function: 'web-programs',
  path: '/connect/{platform}/choose-affiliate-program',
  query: z.object(authorization),
} as const;

/** Public, because the return address is checked before the sign-in. Another `{platform}` is a 404. */
const chooseProgram = webPage({
  ...area,
  id: 'chooseProgram',
  method: 'GET',
  auth: 'none',
  needs: ['platforms:check', 'sessions:use', 'accounts:read', 'accounts:list', 'PROGRAM:read'],
});

const connectProgram = webPage({
  ...area,
  id: 'connectProgram',
  method: 'POST',
  auth: 'session',
  requiredPlan: 'BUSINESS',
  form: z.strictObject({ programId: uuid }),
  needs: [
    'platforms:check',
    'accounts:read',
    'accounts:check',
    'PROGRAM:read',
    'PROGRAM:check',
    'API_KEY:read',
    'API_KEY:list',
    'API_KEY:create',
    'API_KEY:change',
    'access:manage',
    'key-copies:use',
  ],
});

export const connectPages = [chooseProgram, connectProgram] as const;
