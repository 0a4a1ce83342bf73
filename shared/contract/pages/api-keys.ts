import * as z from 'zod';
import { text } from '../fields.ts';
import { webPage } from '../page.ts';

const area = { function: 'web-programs', auth: 'session', role: 'MANAGER' } as const;
const path = '/programs/{programId}/settings/advanced/api-keys';

const showApiKeys = webPage({
  ...area,
  id: 'showApiKeys',
  method: 'GET',
  path,
  needs: ['API_KEY:list', 'access:read'],
});

const addApiKey = webPage({
  ...area,
  id: 'addApiKey',
  creates: true,
  method: 'POST',
  path,
  form: z.strictObject({ name: text(200) }),
  needs: [
    'PROGRAM:check',
    'API_KEY:create',
    'API_KEY:list',
    'accounts:read',
    'accounts:check',
    'access:manage',
    'access:read',
    'key-copies:use',
  ],
});

const showApiKey = webPage({
  ...area,
  id: 'showApiKey',
  method: 'GET',
  path: `${path}/{keyId}`,
  needs: ['API_KEY:read', 'key-copies:use'],
});

const confirmApiKeyDeletion = webPage({
  ...area,
  id: 'confirmApiKeyDeletion',
  method: 'GET',
  path: `${path}/{keyId}/delete`,
  needs: ['API_KEY:read'],
});

const removeApiKey = webPage({
  ...area,
  id: 'removeApiKey',
  method: 'POST',
  path: `${path}/{keyId}/delete`,
  form: z.strictObject({}),
  needs: ['API_KEY:read', 'API_KEY:list', 'API_KEY:delete', 'access:manage'],
});

export const apiKeyPages = [showApiKeys, addApiKey, showApiKey, confirmApiKeyDeletion, removeApiKey] as const;
