import * as z from 'zod';
import { webPage } from '../page.ts';

const area = { function: 'web-programs', auth: 'session' } as const;
const path = '/programs/{programId}/settings/connected-apps';

const needsOfShowing = ['API_KEY:list', 'access:read', 'WEBHOOK:list', 'platforms:check'] as const;

const showConnectedApps = webPage({
  ...area,
  id: 'showConnectedApps',
  method: 'GET',
  path,
  needs: needsOfShowing,
});

const confirmDisconnection = webPage({
  ...area,
  id: 'confirmDisconnection',
  method: 'GET',
  path: `${path}/disconnect`,
  needs: needsOfShowing,
});

const disconnectApps = webPage({
  ...area,
  id: 'disconnectApps',
  method: 'POST',
  path: `${path}/disconnect`,
  form: z.strictObject({}),
  needs: [
    'API_KEY:read',
    'API_KEY:list',
    'API_KEY:delete',
    'access:manage',
    'WEBHOOK:read',
    'WEBHOOK:list',
    'WEBHOOK:delete',
    'TOMBSTONE:create',
  ],
});

export const connectedAppPages = [showConnectedApps, confirmDisconnection, disconnectApps] as const;
