import * as z from 'zod';
import { text, uuid } from '../fields.ts';
import { webPage } from '../page.ts';
import { filter } from './list-query.ts';

const area = { function: 'web-programs', auth: 'session', role: 'MANAGER' } as const;
const path = '/programs/{programId}/settings/advanced/api-keys';

const showApiKeys = webPage({
  ...area,
  id: 'showApiKeys',
  method: 'GET',
  path,
  needs: ['API_KEY:list', 'access:read'],
});

const needsOfCreation = [
  'PROGRAM:check',
  'API_KEY:create',
  'API_KEY:list',
  'accounts:read',
  'accounts:check',
  'access:manage',
  'key-copies:use',
] as const;

const addApiKey = webPage({
  ...area,
  id: 'addApiKey',
  creates: true,
  method: 'POST',
  path,
  form: z.strictObject({ name: text(200) }),
  needs: [...needsOfCreation, 'access:read'],
});

const showApiKey = webPage({
  ...area,
  id: 'showApiKey',
  method: 'GET',
  path: `${path}/{keyId}`,
  /** The key that this one was made to replace. */
  query: z.object({ replaces: filter(uuid) }),
  needs: ['API_KEY:read', 'API_KEY:change', 'key-copies:use'],
});

/** Creates another key of the same name; the one that it replaces works until it is deleted. */
const replaceApiKey = webPage({
  ...area,
  id: 'replaceApiKey',
  creates: true,
  method: 'POST',
  path: `${path}/{keyId}/replace`,
  form: z.strictObject({}),
  needs: [...needsOfCreation, 'API_KEY:read'],
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
  needs: ['API_KEY:read', 'API_KEY:list', 'API_KEY:delete', 'TOMBSTONE:create', 'access:manage'],
});

export const apiKeyPages = [
  showApiKeys,
  addApiKey,
  showApiKey,
  replaceApiKey,
  confirmApiKeyDeletion,
  removeApiKey,
] as const;
