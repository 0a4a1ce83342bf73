import * as z from 'zod';
import { exactLine } from './fields.ts';
import { operation } from './operation.ts';

/** See docs/behavior.md#connecting-a-platform */

const exchangeCode = operation({
  id: 'exchangeConnectorCode',
  surface: 'connector',
  method: 'POST',
  path: '/token',
  auth: 'code',
  tag: 'Connection',
  summary: 'Exchange the authorization code for an access token',
  description:
    'The code that the authorization page sent along. The token does not expire, and a program has one: connecting ' +
    'again gives the same. It is sent as a bearer token, here and to the main API.',
  query: z.strictObject({}),
  body: z.strictObject({ code: exactLine.describe('The authorization code.') }),
  response: z.object({ access_token: z.string() }),
  errors: ['code_required', 'invalid_code'],
  needs: [],
  example: { body: { code: '2b1f0f6e-4c55-4f0e-9d0b-3f6c1f0b7a11' } },
});

const testConnection = operation({
  id: 'testConnection',
  surface: 'connector',
  method: 'GET',
  path: '/test',
  auth: 'key',
  tag: 'Connection',
  summary: 'Check a token and name its program',
  description: '`program_name` labels a connection.',
  query: z.strictObject({}),
  response: z.object({ program_name: z.string(), program_id: z.uuid(), currency: z.string() }),
  errorFields: { program_name: 'Program not found' },
  errors: [],
  needs: ['PROGRAM:read'],
  example: {},
});

export const codeExchangeOperations = [exchangeCode] as const;

export const connectionTestOperations = [testConnection] as const;
