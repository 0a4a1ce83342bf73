import * as z from 'zod';
import { uuid } from '../fields.ts';
import { webPage } from '../page.ts';

/** The parameters of the authorization page. Specification, "Connector endpoints". Platforms send others beside them. */
const authorization = {
  redirect_uri: z.string('is required').min(1, 'is required').max(1000),
  state: z.string('is required').min(1, 'is required').max(2000),
};

/** The form is sent with the parameters that the page was asked with: in an address nothing changes on the way. */
const area = {
  function: 'web-connect',
  path: '/connect/{platform}/choose-affiliate-program',
  query: z.object(authorization),
} as const;

/**
 * `{platform}` is the one segment that the connector has, which is set at deploy; any other is a 404. Open to everybody
 * as far as the check of the address to go back to, which comes before the sign-in.
 */
export const chooseProgram = webPage({
  ...area,
  id: 'chooseProgram',
  method: 'GET',
  auth: 'none',
  needs: ['platforms:check', 'sessions:use', 'accounts:read', 'accounts:list', 'PROGRAM:read'],
});

export const connectProgram = webPage({
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
